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
export type { HistoryStore, NewHistoryEntry, HistoryEntry } from './state/history-store.ts';
export type { Job, JobCancellation, JobChange, JobFilter, JobStore, NewJob } from './state/job-store.ts';
export type { JobStatus } from './tool/tool-run.ts';
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
  RunNeed,
  RunOutcome,
  RunStatus,
  RunStore,
  RunTransition,
} from './state/run-store.ts';
export type { Cancellation, CancellationStore } from './state/cancellation-store.ts';
export type { LeaseClaim, LeaseStore } from './state/lease-store.ts';
export type { NewProcess, ProcessRecord, ProcessStore } from './state/process-store.ts';
export type { RateCharge, RateStore } from './state/rate-store.ts';
export type { KeyedRequest, RequestStore, StoredRequest } from './state/request-store.ts';
export type { Snippet, SnippetEntry, SnippetStore, SnippetTool } from './state/snippet.ts';
export type { NewRunInput, RunInput, RunInputLimit, RunInputStore } from './state/run-input-store.ts';
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
export type { RunWriter } from './base/run-context.ts';
