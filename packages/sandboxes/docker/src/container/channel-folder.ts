import { execFile } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { KernelError } from '@ravi/kernel';

/** Path of the channel inside a container. */
export const guestChannelFolder = '/ravi';

/** Host side of the channel of a container: two FIFOs in a folder that the container sees. */
export interface Channel {
  readonly folder: string;
  /** Starts to read the bytes of the guest. */
  listen(onBytes: (chunk: Buffer) => void): void;
  send(bytes: Buffer): void;
  keepAlive(active: boolean): void;
  /** Reads the remaining bytes, closes both ends and removes the folder. */
  close(): Promise<void>;
}

/** Channels of one sandbox, in a folder of its own. */
export interface ChannelFolder {
  readonly path: string;
  open(): Promise<Channel>;
  /** Removes the folder. */
  close(): Promise<void>;
}

/** FIFO whose open end shows that the owner of a folder is alive. */
export const aliveName = 'alive';

const run = promisify(execFile);
// Node cannot create FIFOs; one call of `mkfifo` creates those of this many containers.
const batchSize = 16;

/** Creates a folder for channels in `parent`. */
export async function createChannelFolder(parent: string): Promise<ChannelFolder> {
  const path = await mkdtemp(join(parent, 'ravi-sandbox-'));
  await makeFifos([join(path, aliveName)]);
  // Opened at both ends: nothing is ever written, and the open end closes when this process ends, in any way.
  const alive = openSync(join(path, aliveName), constants.O_RDWR | constants.O_NONBLOCK);
  let stock: Promise<string[]> = Promise.resolve([]);
  let made = 0;

  return {
    path,
    async open() {
      return openChannel(await takeFolder());
    },
    async close() {
      closeSync(alive);
      await stock.catch(() => {});
      await rm(path, { recursive: true, force: true });
    },
  };

  async function takeFolder(): Promise<string> {
    for (;;) {
      const current = stock;
      const folder = (await current).pop();
      if (folder !== undefined) return folder;
      if (stock === current) stock = makeBatch();
    }
  }

  async function makeBatch(): Promise<string[]> {
    const folders = Array.from({ length: batchSize }, () => join(path, String(++made)));
    for (const folder of folders) {
      await mkdir(folder);
      // The guest is another user and must reach the FIFOs in it, regardless of the umask of this process.
      await chmod(folder, 0o755);
    }
    await makeFifos(folders.flatMap((folder) => [join(folder, 'in'), join(folder, 'out')]));
    return folders;
  }
}

async function makeFifos(paths: readonly string[]): Promise<void> {
  try {
    await run('mkfifo', ['-m', '666', ...paths]);
  } catch (cause) {
    const { message } = cause as Error;
    throw new KernelError('E_SANDBOX_UNAVAILABLE', `The channel of a container could not be created: ${message}`, {
      cause,
    });
  }
}

function openChannel(folder: string): Channel {
  const { O_RDONLY, O_RDWR, O_NONBLOCK } = constants;
  const input = join(folder, 'in');
  const output = join(folder, 'out');
  // The host holds both ends of both FIFOs, so that `open` never waits and there is no end of file before the guest starts.
  const heldOutput = openSync(output, O_RDWR | O_NONBLOCK);
  const writer = new Socket({ fd: openSync(input, O_RDWR | O_NONBLOCK), readable: false, writable: true });
  const reader = new Socket({ fd: openSync(output, O_RDONLY | O_NONBLOCK), readable: true, writable: false });
  const { promise: drained, resolve } = Promise.withResolvers<void>();
  reader.once('close', resolve);
  for (const end of [reader, writer]) {
    end.on('error', () => {});
    end.unref();
  }

  return {
    folder,
    listen: (onBytes) => void reader.on('data', onBytes),
    send: (bytes) => void writer.write(bytes),
    keepAlive(active) {
      for (const end of [reader, writer]) {
        if (end.destroyed) continue;
        if (active) end.ref();
        else end.unref();
      }
    },
    async close() {
      writer.destroy();
      reader.ref();
      reader.resume();
      closeSync(heldOutput);
      await drained;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
