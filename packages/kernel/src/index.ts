export type { ApprovalFeed, ApprovalSubscription } from './approval/approval-store.ts';
export { approveCallsTool, requestedCalls } from './approval/call-set.ts';
export type { RequestedCall } from './approval/call-set.ts';
export { completionPrefix } from './approval/approval.ts';
export {
  answeredApprovalStatuses,
  approvalTransitions,
  differingField,
  isCoveredBy,
  nextApproval,
  isDecidable,
  isUndecided,
  openApprovalStatuses,
  undecidedStatuses,
  wholeRunOf,
} from './approval/approval-transition.ts';
export type { ApprovalAction, ApprovalStep, CoveredRequest } from './approval/approval-transition.ts';
export type {
  Approval,
  ApprovalBinding,
  ApprovalChange,
  ApprovalChangeQuery,
  ApprovalFilter,
  ApprovalStatus,
  ApprovalStore,
  ApprovalTransition,
  RecordedDecision,
} from './approval/approval-store.ts';
export type {
  ApprovalDecision,
  ApprovalDecisionInput,
  ApprovalHandler,
  ApprovalRequest,
  ApprovalRequestOptions,
  AwaitedApproval,
  EditProblem,
  ExpiryPolicy,
  RequestedArtifact,
} from './approval/approval.ts';
export { systemClock } from './base/clock.ts';
export type { Clock, Timer, TimerOptions } from './base/clock.ts';
export { KernelError, isKernelError } from './base/errors.ts';
export type { KernelErrorCode, KernelErrorOptions } from './base/errors.ts';
export type { JsonObject, JsonSchema, JsonValue } from './base/json.ts';
export { silentLogger } from './base/logger.ts';
export type { LogFields, Logger } from './base/logger.ts';
export type { Listing, Page, PageRequest } from './base/page.ts';
export type { Principal, RunContext, RunWriter } from './base/run-context.ts';
export type {
  BlobRange,
  BlobReader,
  BlobRef,
  BlobScope,
  BlobStat,
  BlobStore,
  StoreOptions,
  SweepOptions,
  SweepReport,
} from './blob/blob-store.ts';
export { isCallWithin } from './call/call-record.ts';
export type { ApprovalEdit, ApprovalTrace, CallAttempt, CallStatus, ChainCallRecord } from './call/call-record.ts';
export { defaultChainPolicy, defineChainPolicy, maxBridgeMessageBytes, maxRetriesOfCall } from './call/chain-policy.ts';
export type { ChainPolicy } from './call/chain-policy.ts';
export type { ChainError, ChainRunResult, WholeResult } from './call/chain-run-result.ts';
export type { ChainFile, InvocationError, InvocationResult } from './tool/invocation-result.ts';
export type { DeadWake, EngineFigures, EngineGroupFigures } from './engine/engine-figures.ts';
export type {
  EngineSupport,
  RunEngine,
  RunSignal,
  RunWake,
  RunWakeReason,
  RunWorker,
  WakeOptions,
  WakeOutcome,
} from './engine/run-engine.ts';
export type { RunWakes, StateTransaction, WakeSink, WorkableRun } from './engine/state-transaction.ts';
export type {
  HookEvent,
  HookEventType,
  HookObserver,
  InterceptedArtifact,
  InterceptedCall,
  InterceptorDecision,
  ResultInterceptor,
  ResultPoint,
  ToolInterceptor,
} from './event/hooks.ts';
export type {
  EventScope,
  ProgressEvent,
  ProgressSink,
  Question,
  RunEvent,
  RunEventOf,
  RunEventPayloads,
  RunEventType,
} from './event/run-event.ts';
export type { ModelError, ModelErrorCode, ModelEvent, ModelStopReason, ModelWarning } from './model/model-event.ts';
export type { ModelReservation, ModelUsage, ModelUse, PlannedModelUse } from './base/model-usage.ts';
export type { ModelCallOptions, ModelProvider } from './model/model-request.ts';
export type {
  ModelMessage,
  ModelOutput,
  ModelReasoning,
  ModelRequest,
  ModelSampling,
  ToolChoice,
} from './model/model-request.ts';
export type { Guardrail, GuardrailCheck } from './plugin/guardrail.ts';
export type { HistoryView, HistoryViewOptions } from './plugin/history-view.ts';
export type { Interceptor, ReplacedResult } from './plugin/interceptor.ts';
export type { AgentRunContext, RunMiddleware } from './plugin/run-middleware.ts';
export type { TriggerAccess, TriggerRequest, TriggerTimes } from './plugin/trigger-access.ts';
export { definePlugin } from './plugin/plugin.ts';
export type { ModelAccess, Plugin, PluginContext, PortName, Ports } from './plugin/plugin.ts';
export { sandboxLimits } from './sandbox/sandbox.ts';
export type {
  BridgeCall,
  ConsoleLine,
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
} from './sandbox/sandbox.ts';
export type { Exchange, ExchangeStore, StoredExchange } from './state/exchange-store.ts';
export type { IdentityStore, StateIdentity } from './state/identity-store.ts';
export type { HistoryStore, NewHistoryEntry, HistoryEntry } from './state/history-store.ts';
export type { Job, JobCancellation, JobChange, JobFilter, JobStore, NewJob } from './state/job-store.ts';
export type { JobStatus } from './tool/tool-run.ts';
export { mayHaveBegun } from './state/journal.ts';
export type {
  Journal,
  JournalEntry,
  JournalEvent,
  JournalItem,
  JournaledCall,
  JournaledEvent,
  RunJournal,
} from './state/journal.ts';
export { isLiveRun, liveRunStatuses, shownStatusOf } from './state/run-store.ts';
export type {
  FreeRunsRequest,
  HeldRun,
  LiveRunStatus,
  NewRun,
  PausedRun,
  Run,
  RunBlock,
  RunClaim,
  RunDefinition,
  RunFilter,
  RunHolder,
  RunOutcome,
  RunNeed,
  RunStatus,
  RunStore,
  RunTransition,
} from './state/run-store.ts';
export type {
  NewRunEvent,
  RunEventId,
  RunEventPage,
  RunEventStore,
  RunEventWriter,
  StoredRunEvent,
} from './state/run-event-store.ts';
export type {
  BudgetAccount,
  BudgetAmounts,
  BudgetClaim,
  BudgetRefusal,
  BudgetRequest,
  BudgetReservation,
  BudgetScope,
  BudgetStore,
  BudgetUsage,
} from './state/budget-store.ts';
export type { Cancellation, CancellationStore } from './state/cancellation-store.ts';
export type { LeaseClaim, LeaseStore } from './state/lease-store.ts';
export type { NewProcess, ProcessRecord, ProcessStore } from './state/process-store.ts';
export type { RateCharge, RateStore } from './state/rate-store.ts';
export type { KeyedRequest, RequestStore, StoredRequest } from './state/request-store.ts';
export type { Snippet, SnippetEntry, SnippetStore, SnippetTool } from './state/snippet.ts';
export type { NewRunInput, RunInput, RunInputLimit, RunInputStore } from './state/run-input-store.ts';
export { channelLimits, channelNamePattern } from './state/channel-store.ts';
export type {
  ChannelEntry,
  ChannelLimits,
  ChannelMessage,
  ChannelPlace,
  ChannelReading,
  ChannelReadOptions,
  ChannelStore,
  NewChannelMessage,
} from './state/channel-store.ts';
export { memoryLimits } from './state/memory-store.ts';
export type { Memory, MemoryLimits, MemoryStore, NewMemory } from './state/memory-store.ts';
export type {
  FiringOutcome,
  FiringPlace,
  FiringStatus,
  MisfirePolicy,
  NewFiring,
  NewTrigger,
  Trigger,
  TriggerClaim,
  TriggerFilter,
  TriggerFiring,
  TriggerKind,
  TriggerPermissions,
  TriggerProgress,
  TriggerSpec,
  TriggerStatus,
  TriggerStore,
} from './state/trigger-store.ts';
export { scratchpadArea } from './state/value-store.ts';
export type { SecretStore, StoredValue, ValuePlace, ValueStore } from './state/value-store.ts';
export { requireStateStoreParts } from './state/state-store.ts';
export type {
  CompleteStateStore,
  RetentionStore,
  StateStore,
  StateStorePart,
  StateStoreWith,
} from './state/state-store.ts';
export { textBlock, textOf } from './tool/content.ts';
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
} from './tool/content.ts';
export { defineTool } from './tool/define-tool.ts';
export type { ArgumentsOf } from './tool/arguments-of.ts';
export type { ToolDefinition, ToolOutput } from './tool/define-tool.ts';
export { compareRisk, isToolRisk } from './tool/risk.ts';
export type { ToolRisk } from './tool/risk.ts';
export type { Kit, KitNeed, Skill, ToolExample, ToolSkill } from './tool/skill.ts';
export { isStandardSchema, jsonSchemaOf } from './tool/standard-schema.ts';
export type { StandardResult, StandardSchema } from './tool/standard-schema.ts';
export type {
  FixedToolSource,
  OpenToolSource,
  OpenToolSourceOptions,
  RemoteToolSource,
  ToolSource,
  ToolSourceContent,
  CompleteSignInOptions,
  ToolSourceSignIn,
  ToolSourceStatus,
} from './tool/tool-source.ts';
export { defineToolSource } from './tool/tool-source.ts';
export type { ElicitationRequest, ElicitationResult } from './tool/elicitation.ts';
export { isToolSearch, specOf } from './tool/tool-spec.ts';
export type { FunctionSpec, ProviderSpec, ToolSpec } from './tool/tool-spec.ts';
export {
  canReconcile,
  isCallableFromChain,
  isHostedTool,
  isLocalTool,
  isProviderDefinedTool,
  foreignTool,
  notCallableFromChain,
  staticRisk,
  maxToolDescriptionCharacters,
  toolNamePattern,
  toolsInside,
  toolsInsideOf,
  originOf,
  toolOrigin,
} from './tool/tool.ts';
export type {
  AnyTool,
  ArtifactStream,
  Completion,
  HostedTool,
  ProgressUpdate,
  ProviderCall,
  ProviderDefinedTool,
  RiskAssessment,
  Scratchpad,
  Tool,
  ToolCaller,
  ToolConcurrency,
  ToolContext,
  ToolExecutionResult,
  ToolOrigin,
  AddToolOptions,
  ToolRegistry,
  ToolRetry,
  ReconcileAnswer,
  CheckContext,
  ReconcileContext,
} from './tool/tool.ts';
export type {
  ToolChannels,
  ToolFiles,
  ToolJob,
  ToolJobs,
  ToolModelAnswer,
  ToolModelRequest,
  ToolRun,
} from './tool/tool-run.ts';
