export { damageStatement } from './damage.ts';
export type { Statement } from './damage.ts';
export { postgresForTests, startPostgres } from './postgres-server.ts';
export type { PostgresForTests, PostgresServer } from './postgres-server.ts';
