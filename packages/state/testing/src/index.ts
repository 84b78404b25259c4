export { findPostgres } from './postgres-binaries.ts';
export type { PostgresBinaries } from './postgres-binaries.ts';
export { postgresForTests, startPostgres, stoppablePostgresForTests } from './postgres-server.ts';
export type { PostgresForTests, PostgresServer } from './postgres-server.ts';
export { checkSampleState, writeSampleState } from './sample-state.ts';
export { damageStatement, insertStatements } from './statements.ts';
export type { Statement } from './statements.ts';
export { startTcpProxy } from './tcp-proxy.ts';
export type { TcpProxy } from './tcp-proxy.ts';
