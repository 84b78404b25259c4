import type { ChainCallRecord, InvocationError, JsonValue, ModelMessage, ModelUsage } from '@ravi/kernel';
import type { PausedRun } from '../questions/paused-run.ts';

/**
 * Why a run ended: `answer` the model was done, `max-steps`, `budget` or `stop-condition` a bound of the agent was
 * reached, `middleware` or `guardrail` something around it stopped it, `length` or `refusal` the model's last word was no
 * answer, `question` a human is asked, `cancelled` nobody waits any more, `error` it failed.
 */
export type AgentEndReason =
  | 'answer'
  | 'max-steps'
  | 'budget'
  | 'stop-condition'
  | 'middleware'
  | 'guardrail'
  | 'length'
  | 'refusal'
  | 'question'
  | 'cancelled'
  | 'error';

/** How a run ended, before the rest of its result is added. */
export interface AgentEnding {
  readonly status: 'completed' | 'stopped' | 'paused' | 'failed' | 'cancelled';
  readonly reason: AgentEndReason;
  /** The validated value, when the agent has an `output` and completed. */
  readonly output?: JsonValue;
  /** Present when it failed; also says which bound stopped it, or why a paused run is paused still. */
  readonly error?: InvocationError;
  /** What `resume` needs; JSON. Present when it is paused. */
  readonly paused?: PausedRun;
}

/** The outcome of a run. A failure is a value, never an exception. */
export interface AgentResult extends AgentEnding {
  readonly runId: string;
  readonly sessionId: string;
  /** Text of the last answer. */
  readonly text: string;
  /** The whole conversation, earlier turns included. Every call in it has one result, unless the run is paused. */
  readonly messages: readonly ModelMessage[];
  /** Answers that were asked for, failed attempts not counted. */
  readonly steps: number;
  /** Of all answers of this run together, sub-agents not counted. */
  readonly usage: ModelUsage;
  /** One finished record for each call. */
  readonly trace: readonly ChainCallRecord[];
}
