import { execFile } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { KernelError } from '@ravi/kernel';

/** Where a guest finds its channel. */
export const guestChannelFolder = '/ravi';

/** The host's ends of one container's channel: two FIFOs in a folder that the container sees. */
export interface Channel {
  readonly folder: string;
  /** From when on bytes of the guest are read. */
  listen(onBytes: (chunk: Buffer) => void): void;
  send(bytes: Buffer): void;
  keepAlive(active: boolean): void;
  /** Reads what is still there, closes both ends and removes the folder. */
  close(): Promise<void>;
}

/** Channels of one sandbox, in a folder of its own. */
export interface ChannelFolder {
  readonly path: string;
  open(): Promise<Channel>;
  /** Removes the folder. */
  close(): Promise<void>;
}

/** The FIFO whose open end says that the owner of a folder lives. */
export const aliveName = 'alive';

const run = promisify(execFile);
// Node cannot make a FIFO; one start of `mkfifo` makes those of so many containers.
const batchSize = 16;

/** Makes a folder for channels in `parent`. */
export async function createChannelFolder(parent: string): Promise<ChannelFolder> {
  const path = await mkdtemp(join(parent, 'ravi-sandbox-'));
  await makeFifos([join(path, aliveName)]);
  // Both ends: nobody ever writes, and the open end closes with this process, however it ends.
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
      // The guest is another user: it must reach the FIFOs in it, whatever this process's umask says.
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
    throw new KernelError('E_SANDBOX_UNAVAILABLE', `The channel of a container could not be made: ${message}`, {
      cause,
    });
  }
}

function openChannel(folder: string): Channel {
  const { O_RDONLY, O_RDWR, O_NONBLOCK } = constants;
  const input = join(folder, 'in');
  const output = join(folder, 'out');
  // The host holds both ends of both FIFOs, so that nobody's `open` waits and no end of file comes before the guest.
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
