export { createConsoleHandler } from './console-handler.ts';
export type { ConsoleHandler, ConsoleOptions } from './console-handler.ts';
