export { damageStatement } from './damage.ts';
export type { Statement } from './damage.ts';
export { insertStatements } from './insert-statements.ts';
export { postgresForTests, startPostgres, stoppablePostgresForTests } from './postgres-server.ts';
export type { PostgresForTests, PostgresServer } from './postgres-server.ts';
export { checkSampleState, writeSampleState } from './sample-state.ts';
