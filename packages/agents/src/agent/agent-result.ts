import type {
  AwaitedApproval,
  ChainCallRecord,
  InvocationError,
  JsonValue,
  ModelMessage,
  ModelUsage,
} from '@ravi/kernel';
import type { PausedRun } from './paused-run.ts';

/**
 * Reason why a run ended: `answer` the model gave its final answer; `max-steps`, `budget` or `stop-condition` a limit of
 * the agent was reached; `middleware` or `guardrail` stopped it; `length` or `refusal` the last response was cut off or
 * refused; `question` the user is asked; `approval` people decide about calls; `cancelled` the caller cancelled it; `error` it failed.
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
  | 'approval'
  | 'cancelled'
  | 'error';

/** Status of a run that ended, with the reason. */
export interface AgentEnding {
  readonly status: 'completed' | 'stopped' | 'paused' | 'failed' | 'cancelled';
  readonly reason: AgentEndReason;
  /** Validated value of a completed run whose agent has an `output`. */
  readonly output?: JsonValue;
  /** The failure; also the limit that stopped the run, or the reason why a resumed run is still paused. */
  readonly error?: InvocationError;
  /** Argument for `resume`, as JSON. Present if the run waits for answers. */
  readonly paused?: PausedRun;
  /** Requests for approval that a paused run waits for. It continues with `recover` after a decision. */
  readonly approvals?: readonly AwaitedApproval[];
}

/** Result of a run. A failure is a value, never an exception. */
export interface AgentResult extends AgentEnding {
  readonly runId: string;
  readonly sessionId: string;
  /** Text of the last response. */
  readonly text: string;
  /** The whole conversation, earlier runs included. Every call in it has one result, unless the run is paused. */
  readonly messages: readonly ModelMessage[];
  /** Number of steps; failed attempts are not counted. */
  readonly steps: number;
  /** Sum over all responses of this run, without sub-agents. */
  readonly usage: ModelUsage;
  /** One finished record for each call. */
  readonly trace: readonly ChainCallRecord[];
}
