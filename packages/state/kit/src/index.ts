export type {
  Database,
  Dialect,
  QueryWord,
  SqlRow,
  SqlRunner,
  SqlValue,
  TransactionOptions,
  WordSearch,
} from './database.ts';
export { closed, unavailable } from './errors.ts';
export { migrate, newestVersion } from './migrate.ts';
export { openStateStore } from './open-state-store.ts';
