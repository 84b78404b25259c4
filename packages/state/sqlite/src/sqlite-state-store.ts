import type { Clock, CompleteStateStore } from '@ravi/kernel';
import { openStateStore } from '@ravi/state-kit';
import { markOpen, requireLog, unmarkOpen } from './database-file.ts';
import { createMachineClock } from './machine-clock.ts';
import { openSqliteDatabase } from './sqlite-database.ts';

/** Default of `busyTimeoutMs`. */
export const defaultBusyTimeoutMs = 5_000;

/** Options of {@link createSqliteStateStore}. */
export interface SqliteStateStoreOptions {
  /** Path of the file, created with its folder if missing; `:memory:` keeps everything in memory. */
  readonly file: string;
  /** Milliseconds to wait while another process writes; 5 000 by default. */
  readonly busyTimeoutMs?: number;
  /**
   * `disk` (default): changes that the port promises to be on disk survive a power failure. `process`: they survive the
   * end of the process, crashes included, and writes are several times faster.
   */
  readonly durability?: 'disk' | 'process';
  /** Clock by which processes live, for tests; by default one that all processes of the machine share and that cannot be set. */
  readonly clock?: Pick<Clock, 'now'>;
}

/**
 * Creates a state store in one SQLite file, which several processes on one machine may share.
 * @throws KernelError `E_STATE_UNAVAILABLE`, `E_STATE_CORRUPT`, or `E_CONFIG_INVALID` if the file is newer than this
 * code
 */
export async function createSqliteStateStore(options: SqliteStateStoreOptions): Promise<CompleteStateStore> {
  const { file, busyTimeoutMs = defaultBusyTimeoutMs, durability = 'disk' } = options;
  const machine = createMachineClock();
  const { now } = options.clock ?? machine;
  const open = async (): Promise<CompleteStateStore> => {
    const database = openSqliteDatabase({ file, busyTimeoutMs, durability, leaseNow: now });
    const opened = await openStateStore(database);
    try {
      if (options.clock === undefined) await machine.join(database);
      return opened;
    } catch (error) {
      await opened[Symbol.asyncDispose]();
      throw error;
    }
  };
  if (file === ':memory:') {
    // It is another store at each start, so it has no identity.
    const { identity: _, ...store } = await open();
    return store;
  }
  requireLog(file);
  const store = await open();
  markOpen(file);
  return {
    ...store,
    async [Symbol.asyncDispose]() {
      unmarkOpen(file);
      await store[Symbol.asyncDispose]();
    },
  };
}
