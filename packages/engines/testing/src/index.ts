export { startRestate } from './restate-server.ts';
export type { RestateForTests } from './restate-server.ts';
