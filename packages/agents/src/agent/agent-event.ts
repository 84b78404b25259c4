import type {
  InvocationResult,
  JsonObject,
  ModelError,
  ModelMessage,
  ModelUsage,
  ModelWarning,
  ProgressUpdate,
} from '@ravi/kernel';
import type { AgentResult } from './agent-result.ts';

/**
 * Events of a run, in the order in which they happen. Deltas are for display: a failed attempt leaves some, which
 * `model-retry` retracts. A call has the same `callId` in all of its events.
 */
export type AgentEvent =
  | { readonly type: 'run-start'; readonly runId: string; readonly sessionId: string; readonly agent: string }
  | { readonly type: 'step-start'; readonly step: number }
  | { readonly type: 'warning'; readonly warning: ModelWarning }
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly text: string }
  | { readonly type: 'tool-call-start'; readonly callId: string; readonly tool: string }
  | { readonly type: 'tool-call-delta'; readonly callId: string; readonly text: string }
  /** The incomplete response is discarded and requested again. Only safe calls of it can have run. */
  | { readonly type: 'model-retry'; readonly attempt: number; readonly error: ModelError }
  /**
   * A call begins. It ends with `tool-result`, also when it is cancelled, or with `job-started`. A call of a discarded
   * response may have neither. A call that was refused before it began only has the events of its writing.
   */
  | { readonly type: 'tool-call'; readonly callId: string; readonly tool: string; readonly args: JsonObject }
  | { readonly type: 'tool-progress'; readonly callId: string; readonly tool: string; readonly update: ProgressUpdate }
  | { readonly type: 'tool-result'; readonly callId: string; readonly tool: string; readonly result: InvocationResult }
  /** A call continues as a job, and its result for now says so. The job ends with `job-finished`, also when it is stopped. */
  | { readonly type: 'job-started'; readonly jobId: string; readonly callId: string; readonly tool: string }
  | {
      readonly type: 'job-finished';
      readonly jobId: string;
      readonly callId: string;
      readonly tool: string;
      readonly result: InvocationResult;
    }
  /** A message was appended to the conversation, and stored if there is a history. */
  | { readonly type: 'message'; readonly message: ModelMessage }
  | { readonly type: 'step-end'; readonly step: number; readonly usage: ModelUsage }
  /** The last event: tools that keep running after the run emit nothing. */
  | { readonly type: 'run-end'; readonly result: AgentResult };

/** Receives events as they happen. Must not throw. */
export type AgentEventSink = (event: AgentEvent) => void;
