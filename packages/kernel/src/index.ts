export type {
  Approval,
  RecordedDecision,
  ApprovalBinding,
  ApprovalChange,
  ApprovalChangeQuery,
  ApprovalFilter,
  ApprovalTransition,
  ApprovalStatus,
  ApprovalStore,
} from './approval-store.ts';
export type { ApprovalDecision, ApprovalHandler, ApprovalRequest, ApprovalDecisionInput } from './approval.ts';
export type {
  BlobRange,
  BlobReader,
  BlobRef,
  BlobScope,
  BlobStat,
  BlobStore,
  StoreOptions,
  SweepReport,
} from './blob-store.ts';
export { defaultChainPolicy, defineChainPolicy, maxCrossingBytes } from './chain.ts';
export type {
  ApprovalTrace,
  ChainCallRecord,
  ChainError,
  ChainFile,
  ChainPolicy,
  ChainRunResult,
  ConsoleLine,
  InvocationError,
  InvocationResult,
  WholeResult,
} from './chain.ts';
export type { Clock, Timer } from './clock.ts';
export { textBlock, textOf } from './content.ts';
export type {
  ContentBlock,
  DataBlock,
  ErrorBlock,
  InvalidArguments,
  MediaBlock,
  MediaSource,
  OpaqueData,
  ReasoningBlock,
  TextBlock,
  ToolResultBlock,
  ToolUseBlock,
  UnknownBlock,
} from './content.ts';
export { defineTool } from './define-tool.ts';
export type { ArgumentsOf, ToolDefinition, ToolOutput } from './define-tool.ts';
export { KernelError, isKernelError } from './errors.ts';
export type { KernelErrorCode, KernelErrorOptions } from './errors.ts';
export type { HistoryStore, NewTurn, Turn } from './history-store.ts';
export type {
  HookEvent,
  HookObserver,
  HookPayloads,
  HookScope,
  InterceptedCall,
  InterceptorDecision,
  ResultInterceptor,
  ResultPoint,
  ToolInterceptor,
} from './hooks.ts';
export type { Job, JobChange, JobFilter, JobStatus, JobStore, NewJob } from './job-store.ts';
export type {
  Journal,
  JournalEntry,
  JournalEvent,
  JournaledCall,
  JournaledEvent,
  JournalItem,
  RunJournal,
} from './journal.ts';
export type { JsonObject, JsonSchema, JsonValue } from './json.ts';
export { silentLogger } from './logger.ts';
export type { LogFields, Logger } from './logger.ts';
export type {
  ModelError,
  ModelErrorCode,
  ModelEvent,
  ModelStopReason,
  ModelUsage,
  ModelWarning,
} from './model-event.ts';
export type {
  ModelMessage,
  ModelOutput,
  ModelReasoning,
  ModelRequest,
  ModelSampling,
  ToolChoice,
} from './model-request.ts';
export type { ModelCallOptions, ModelProvider } from './model.ts';
export type { Listing, Page, PageRequest } from './page.ts';
export { definePlugin } from './plugin.ts';
export type { Plugin, PluginContext, PortName, Ports } from './plugin.ts';
export type { ProgressEvent, ProgressSink, ProgressUpdate } from './progress.ts';
export type { RetentionStore } from './retention-store.ts';
export { compareRisk, isToolRisk } from './risk.ts';
export type { ToolRisk } from './risk.ts';
export type { Principal, RunContext } from './run-context.ts';
export type {
  LeaseRequest,
  NewRun,
  Run,
  RunDefinition,
  RunFilter,
  RunLease,
  RunOutcome,
  RunStatus,
  RunStore,
  RunTransition,
} from './run-store.ts';
export type {
  BridgeCall,
  EndingLimit,
  GuestError,
  Sandbox,
  SandboxFile,
  SandboxLanguage,
  SandboxLimit,
  SandboxLimits,
  SandboxOutcome,
  SandboxRequest,
  SandboxSupport,
} from './sandbox.ts';
export { sandboxLimits } from './sandbox.ts';
export type { Skill } from './skill.ts';
export type { Snippet, SnippetEntry, SnippetStore, SnippetTool } from './snippet.ts';
export { isStandardSchema, jsonSchemaOf } from './standard-schema.ts';
export type { StandardResult, StandardSchema } from './standard-schema.ts';
export type { StateStore } from './state-store.ts';
export { systemClock } from './system-clock.ts';
export type { ToolSource, ToolSourceContent } from './tool-source.ts';
export { specOf } from './tool-spec.ts';
export type { FunctionSpec, ProviderSpec, ToolSpec } from './tool-spec.ts';
export {
  isCallableFromChain,
  isHostedTool,
  isLocalTool,
  isProviderDefinedTool,
  notCallableFromChain,
  toolNamePattern,
} from './tool.ts';
export type {
  AnyTool,
  ArtifactStream,
  HostedTool,
  ProviderCall,
  ProviderDefinedTool,
  RiskAssessment,
  Scratchpad,
  Tool,
  ToolCaller,
  ToolConcurrency,
  ToolContext,
  ToolExecutionResult,
  ToolRegistry,
} from './tool.ts';
