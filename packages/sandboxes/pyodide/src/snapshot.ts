import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { KernelError } from '@ravi/kernel';
import type { GuestLink, LaunchGuest } from '@ravi/sandbox-kit';

/** Memory of an interpreter that has loaded the guest program: guests continue from it, instead of from nothing. */
export interface Snapshot {
  /** Descriptor of its bytes, which can only be read. */
  readonly ready: Promise<number>;
  /** Sets whether the process that makes it keeps the event loop of the host alive. */
  keepAlive(active: boolean): void;
}

/** Options of {@link openSnapshot}. */
export interface SnapshotOptions {
  /** Everything that the snapshot depends on. */
  readonly contents: string;
  /** Returns the launcher of the process that makes it and writes it to a descriptor. */
  readonly launcher: (descriptor: number) => LaunchGuest;
  /** Parent of the folder in which snapshots are kept. */
  readonly folder?: string;
}

/**
 * Opens the snapshot that an earlier process of this user has made, or makes it in a process of its own. It is kept in a folder
 * that only this user can read and write. Guests get a descriptor that cannot be written to.
 */
export function openSnapshot({ contents, launcher, folder = tmpdir() }: SnapshotOptions): Snapshot {
  const kept = keptFolder(folder);
  const name = `${createHash('sha256').update(contents).digest('hex').slice(0, 32)}.bin`;
  const existing = kept === undefined ? undefined : openKept(join(kept, name));
  if (existing !== undefined) return { ready: Promise.resolve(existing), keepAlive() {} };
  const making = mkdtempSync(join(folder, 'ravi-pyodide-making-'));
  const file = join(making, name);
  const writing = openSync(file, 'wx', 0o600);
  const reading = openSync(file, 'r');
  const { promise: ready, resolve, reject } = Promise.withResolvers<number>();
  const maker: GuestLink = launcher(writing)({
    onBytes() {},
    onClose({ reason, error }) {
      closeSync(writing);
      // A process that ended in another way has not written all of it.
      const isMade = reason.endsWith('exit code 0') && fstatSync(reading).size > 0;
      if (isMade && kept !== undefined) keep(file, join(kept, name));
      rmSync(making, { recursive: true, force: true });
      if (isMade) return resolve(reading);
      closeSync(reading);
      const cause = error === undefined ? {} : { cause: error };
      reject(new KernelError('E_SANDBOX_UNAVAILABLE', `The process that prepares Pyodide ${reason}`, cause));
    },
  });
  ready.catch(() => {});
  return { ready, keepAlive: (active) => maker.keepAlive(active) };
}

// Another user may have made a folder of this name first: then snapshots are made for each process.
function keptFolder(parent: string): string | undefined {
  const { uid } = userInfo();
  const path = join(parent, `ravi-pyodide-${uid}`);
  try {
    mkdirSync(path, { mode: 0o700, recursive: true });
    const found = lstatSync(path);
    const isOwn = process.platform === 'win32' || (found.uid === uid && (found.mode & 0o077) === 0);
    return found.isDirectory() && isOwn ? path : undefined;
  } catch {
    return undefined;
  }
}

function openKept(path: string): number | undefined {
  try {
    // Windows has no such flag, and no such links.
    return openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  } catch {
    return undefined;
  }
}

// A failure costs the next process the time to make it again.
function keep(file: string, path: string): void {
  try {
    const kept = dirname(path);
    // Those of other versions.
    for (const name of readdirSync(kept)) rmSync(join(kept, name), { force: true });
    renameSync(file, path);
  } catch {
    // Another process has made it meanwhile, or the disk is full.
  }
}
