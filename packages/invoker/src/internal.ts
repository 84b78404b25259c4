// Parts of the invoker that the agent loop shares. Not part of the public API: they change without notice.
export { previewOf } from './arguments/redact.ts';
export { isInvocationResult } from './hooks/hook-manager.ts';
export { encodeStructured } from './result/encode-structured.ts';
export { errorResult } from './error-results.ts';
export { runGrantsOf } from './scope/session-durability.ts';
export { Cancellation, isSuspension } from './timing/cancellation.ts';
export type { CancelListener } from './timing/cancellation.ts';
export { freezeForeignTool, freezeTool } from './toolbox/freeze-tool.ts';
export { SchemaCache } from './validation/schema-cache.ts';
export { validateValue } from './validation/validate-arguments.ts';
export { callPaths } from './call-paths.ts';
export type { CallPath } from './call-paths.ts';
