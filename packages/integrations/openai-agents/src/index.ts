export { raviTools } from './ravi-tools.ts';
export { recordRejection } from './record-rejection.ts';
export type { RaviToolsOptions } from './ravi-tools.ts';
export type { ToolOutput } from './tool-output.ts';
