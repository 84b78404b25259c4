export { approvalHandlerContract } from './approval-handler-contract.ts';
export type { ApproverBehavior, ApprovalHandlerContractOptions } from './approval-handler-contract.ts';
export { createApprovalRequest } from './approval-request.ts';
export { blobStoreContract } from './blob-store-contract.ts';
export type { BlobStoreContractOptions, CreateBlobStore } from './blob-store-contract.ts';
export { blobStoreCrashTests } from './blob-store-crash-tests.ts';
export type { BlobStoreCrashOptions } from './blob-store-crash-tests.ts';
export { childProcessIds } from './child-processes.ts';
export { collectAnswer, collectEvents } from './collect-answer.ts';
export type { CollectedAnswer } from './collect-answer.ts';
export { createFakeClock } from './fake-clock.ts';
export type { FakeClock } from './fake-clock.ts';
export { recursion as hostileRecursion } from './hostile/classes/recursion.ts';
export { leftovers as hostileLeftovers } from './hostile/python/leftovers.ts';
export type { HostileCase, HostileClass } from './hostile/hostile-case.ts';
export { hostileContract } from './hostile/hostile-contract.ts';
export type { HostileContractOptions } from './hostile/hostile-contract.ts';
export { startLoopbackServer } from './loopback-server.ts';
export type { LoopbackAnswer, LoopbackRequest, LoopbackServer } from './loopback-server.ts';
export { createMemoryApprovalStore } from './memory-approval-store.ts';
export { createMemoryLogger } from './memory-logger.ts';
export type { LogRecord, MemoryLogger } from './memory-logger.ts';
export { pairingProblems } from './pairing-problems.ts';
export type { PairingOptions } from './pairing-problems.ts';
export { pluginContract } from './plugin-contract.ts';
export { readRecordings } from './recorded-traffic.ts';
export type { ExpectedCall, ExpectedDecode, RecordedInteraction, Recording } from './recorded-traffic.ts';
export { pythonSandboxContract } from './python-sandbox-contract.ts';
export { createRecordingHooks } from './recording-hooks.ts';
export type { HookSource, RecordedHook, RecordingHooks } from './recording-hooks.ts';
export { noS3TestServer, s3TestServer } from './s3-test-server.ts';
export type { S3TestKeys, S3TestServer } from './s3-test-server.ts';
export { sandboxContract } from './sandbox-contract.ts';
export { guestOf } from './sandbox-contract-harness.ts';
export type {
  CreateSandbox,
  Guest,
  GuestRequest,
  GuestRun,
  SandboxContractOptions,
} from './sandbox-contract-harness.ts';
export { createScriptedModel } from './scripted-model.ts';
export type { ScriptedModel, ScriptedToolCall, ScriptedTurn } from './scripted-model.ts';
export { createSeededRandom } from './seeded-random.ts';
export type { SeededRandom } from './seeded-random.ts';
export { sharedDataFile } from './shared-data.ts';
export { snippetStoreContract } from './snippet-store-contract.ts';
export type { SnippetStoreContractOptions } from './snippet-store-contract.ts';
export { stateStoreContract } from './state-store-contract.ts';
export type { StateRecord, StateStoreContractOptions, StateStoreProgram } from './state-store-contract-harness.ts';
export { serveStateStoreRaces } from './state-store-races.ts';
export type { ContractTest } from './test-runner.ts';
export { createToolContext } from './tool-context.ts';
export { toolContract } from './tool-contract.ts';
export type { ToolContractOptions } from './tool-contract.ts';
