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
 * What a run tells while it goes on, in the order in which it happens. Deltas are for display: a failed attempt of a
 * model leaves some behind, which `model-retry` takes back. A call has the same `callId` in all events.
 */
export type AgentEvent =
  | { readonly type: 'run-start'; readonly runId: string; readonly sessionId: string; readonly agent: string }
  | { readonly type: 'step-start'; readonly step: number }
  | { readonly type: 'warning'; readonly warning: ModelWarning }
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly text: string }
  | { readonly type: 'tool-call-start'; readonly callId: string; readonly tool: string }
  | { readonly type: 'tool-call-delta'; readonly callId: string; readonly text: string }
  /** The answer that was being written is void and is asked for again; calls of it that ran were safe ones. */
  | { readonly type: 'model-retry'; readonly attempt: number; readonly error: ModelError }
  /**
   * A call begins. It ends with `tool-result`, also when it is cancelled, or goes on as a job; one of a void answer may do
   * neither. A call that was refused before it began has no events but those of its writing.
   */
  | { readonly type: 'tool-call'; readonly callId: string; readonly tool: string; readonly args: JsonObject }
  | { readonly type: 'tool-progress'; readonly callId: string; readonly tool: string; readonly update: ProgressUpdate }
  | { readonly type: 'tool-result'; readonly callId: string; readonly tool: string; readonly result: InvocationResult }
  /** A call goes on as a job, which ends with `job-finished`, also when it is stopped; what the model reads for now is that. */
  | { readonly type: 'job-started'; readonly jobId: string; readonly callId: string; readonly tool: string }
  | {
      readonly type: 'job-finished';
      readonly jobId: string;
      readonly callId: string;
      readonly tool: string;
      readonly result: InvocationResult;
    }
  /** A message has joined the conversation, and is stored when there is a history. */
  | { readonly type: 'message'; readonly message: ModelMessage }
  | { readonly type: 'step-end'; readonly step: number; readonly usage: ModelUsage }
  /** The last event. What comes of the run later is not told. */
  | { readonly type: 'run-end'; readonly result: AgentResult };

/** Receives events as they happen. It must not throw. */
export type AgentEventSink = (event: AgentEvent) => void;
