export { scriptCommand, sdkCommand } from './commands.ts';
export type { ServerCommand } from './commands.ts';
export type { Expected, HostileCase } from './hostile/hostile-case.ts';
export { hostileCases } from './hostile/hostile-cases.ts';
export { honestTools, serveHttp } from './scripted-server.ts';
export type { HttpScript, ReceivedMessage, ServerScript, Wire } from './scripted-server.ts';
export { serveSdk } from './sdk-server.ts';
export type { SdkServer } from './sdk-server.ts';
