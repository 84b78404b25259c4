export type { ApprovalTrace, CallAttempt, ChainCallRecord } from './call/call-record.ts';
export { defaultChainPolicy, defineChainPolicy, maxBridgeMessageBytes, maxRetriesOfCall } from './call/chain-policy.ts';
export type { ChainPolicy } from './call/chain-policy.ts';
export type { ChainError, ChainRunResult, WholeResult } from './call/chain-run-result.ts';
export type { ChainFile, InvocationError, InvocationResult } from './tool/invocation-result.ts';
