import type { InvocationResult, JsonObject, RunEventOf, RunEventType } from '@ravi/kernel';
import type { AgentResult } from './agent-result.ts';

/** Types of the events that the stream of an agent carries. */
type AgentEventType = Extract<
  RunEventType,
  | 'job-finished'
  | 'job-started'
  | 'message'
  | 'model-delta'
  | 'model-retry'
  | 'reasoning-delta'
  | 'run-end'
  | 'run-input'
  | 'run-paused'
  | 'run-start'
  | 'step-end'
  | 'step-start'
  | 'tool-call'
  | 'tool-call-delta'
  | 'tool-call-start'
  | 'tool-progress'
  | 'tool-result'
  | 'warning'
>;

/** Whole values that only the reader of a stream receives, in addition to the facts that every reader of the event has. */
interface Content {
  readonly 'tool-call': { readonly args: JsonObject };
  readonly 'tool-result': { readonly result: InvocationResult };
  readonly 'run-paused': { readonly result: AgentResult };
  readonly 'run-end': { readonly result: AgentResult };
}

type EventWithContent<Type extends AgentEventType> = RunEventOf<Type> &
  (Type extends keyof Content ? Content[Type] : unknown);

/**
 * Event of a run of an agent, in the order in which the events happen. Deltas are for display: a failed attempt leaves some,
 * which `model-retry` retracts. A call has the same `callId` in all of its events.
 *
 * `tool-call` and `tool-result` report the calls of the model, with their arguments and results, which middleware may have
 * replaced; `bytes` is absent. A call that becomes a job ends with `job-started` instead. A call of a discarded response may
 * have no end. A call that was refused before it began only has the events of its writing. The last event is `run-end` or
 * `run-paused`: tools that keep running after it emit nothing.
 */
export type AgentEvent = { [Type in AgentEventType]: EventWithContent<Type> }[AgentEventType];

/** Receives events as they happen. Must not throw. */
export type AgentEventSink = (event: AgentEvent) => void;
