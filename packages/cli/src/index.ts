export { exitCode } from './exit-code.ts';
export type { ExitCode } from './exit-code.ts';
export { runCommandLine } from './program.ts';
export type { Terminal } from './terminal.ts';
