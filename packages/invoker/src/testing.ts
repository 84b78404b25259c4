// An entry of its own: programs do not load it with the invoker.
export { runTool } from './testing/run-tool.ts';
export type { RunToolOptions, RunToolReport } from './testing/run-tool.ts';
