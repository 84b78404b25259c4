import type { StateStore } from '@ravi/kernel';
import { openStateStore } from '@ravi/state-kit';
import { openSqliteDatabase } from './sqlite-database.ts';

/** The default of `busyTimeoutMs`. */
export const defaultBusyTimeoutMs = 5_000;

/** Options of {@link createSqliteStateStore}. */
export interface SqliteStateStoreOptions {
  /** Path of the file, made with its folder when it is missing; `:memory:` keeps everything in memory. */
  readonly file: string;
  /** For how many milliseconds to wait while another process writes; 5 000 when absent. */
  readonly busyTimeoutMs?: number;
  /**
   * `disk` (default): what the port promises to be on the disk survives a loss of power. `process`: it survives the end
   * of the process, however that comes, and writes are several times faster.
   */
  readonly durability?: 'disk' | 'process';
}

/**
 * A state store in one SQLite file, which several processes of one machine may share.
 * @throws KernelError `E_STATE_UNAVAILABLE`, `E_STATE_CORRUPT`, or `E_CONFIG_INVALID` when the file is newer than this code
 */
export async function createSqliteStateStore(options: SqliteStateStoreOptions): Promise<StateStore> {
  const { file, busyTimeoutMs = defaultBusyTimeoutMs, durability = 'disk' } = options;
  return openStateStore(openSqliteDatabase({ file, busyTimeoutMs, durability }));
}
