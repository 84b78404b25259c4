export type { Database, Dialect, SqlRow, SqlRunner, SqlValue, TransactionOptions } from './database.ts';
export { closed, unavailable } from './errors.ts';
export { migrate, newestVersion } from './migrate.ts';
export { openStateStore } from './open-state-store.ts';
