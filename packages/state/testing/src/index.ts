export { damageStatement } from './damage-statement.ts';
export type { Statement } from './damage-statement.ts';
export { insertStatements } from './insert-statements.ts';
export { findPostgres } from './postgres-binaries.ts';
export type { PostgresBinaries } from './postgres-binaries.ts';
export { postgresForTests, startPostgres, stoppablePostgresForTests } from './postgres-server.ts';
export type { PostgresForTests, PostgresServer } from './postgres-server.ts';
export { checkSampleState, writeSampleState } from './sample-state.ts';
