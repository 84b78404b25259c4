export { runOf } from './call-place.ts';
export type { CallContext } from './call-place.ts';
export type { ApprovalAnswer, SignedDecision } from './decision-signer.ts';
export { createMastraTools } from './mastra-tools.ts';
export type { Choice, MastraTool, MastraTools, MastraToolsOptions } from './mastra-tools.ts';
export { findSuspension } from './suspension.ts';
export type { ApprovalSuspension, SuspendedRequest } from './suspension.ts';
export type { RaviOutput } from './tool-output.ts';
