import { closeSync, fstatSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KernelError } from '@ravi/kernel';
import type { GuestLink, LaunchGuest } from '@ravi/sandbox-kit';

/** Memory of an interpreter that has loaded the guest program: guests continue from it, instead of from nothing. */
export interface Snapshot {
  /** Descriptor of its bytes, which can only be read. */
  readonly ready: Promise<number>;
  /** Sets whether the process that makes it keeps the event loop of the host alive. */
  keepAlive(active: boolean): void;
}

/**
 * Makes a snapshot in a process of its own. `launcher` starts that process, which writes to a descriptor. The file has no
 * name from the start, so that nothing remains of it and no other process changes it.
 */
export function makeSnapshot(launcher: (descriptor: number) => LaunchGuest): Snapshot {
  const folder = mkdtempSync(join(tmpdir(), 'ravi-pyodide-'));
  const file = join(folder, 'snapshot');
  const writing = openSync(file, 'wx', 0o600);
  const reading = openSync(file, 'r');
  rmSync(folder, { recursive: true });
  const { promise: ready, resolve, reject } = Promise.withResolvers<number>();
  const maker: GuestLink = launcher(writing)({
    onBytes() {},
    onClose({ reason, error }) {
      closeSync(writing);
      if (fstatSync(reading).size > 0) return resolve(reading);
      closeSync(reading);
      const cause = error === undefined ? {} : { cause: error };
      reject(new KernelError('E_SANDBOX_UNAVAILABLE', `The process that prepares Pyodide ${reason}`, cause));
    },
  });
  ready.catch(() => {});
  return { ready, keepAlive: (active) => maker.keepAlive(active) };
}
