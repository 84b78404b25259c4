import type { ModelMessage, ModelUsage, Principal } from '@ravi/kernel';
import type { BudgetRecord, Permissions } from '../loop/run-snapshot.ts';

/** A question of a tool to the human behind the run. */
export interface Question {
  /** The call that asks; the answer becomes its result. */
  readonly callId: string;
  readonly tool: string;
  readonly question: string;
  /** Suggested answers. Another one may be given all the same. */
  readonly choices?: readonly string[];
}

/** Everything that a paused run needs to go on, in this process or another: plain JSON unless media bytes are in it. */
export interface PausedRun {
  readonly runId: string;
  readonly sessionId: string;
  readonly principal: Principal;
  readonly agent: string;
  readonly questions: readonly Question[];
  /** What the run was allowed; it goes on with this or less. */
  readonly permissions: Permissions;
  readonly steps: number;
  readonly usage: ModelUsage;
  /** Of a run with a budget: it goes on with what is left. */
  readonly budget?: BudgetRecord;
  /** The conversation up to the open calls. */
  readonly messages: readonly ModelMessage[];
}

/** The answer to the only question of a run, or one for each by `callId`, which answers no other question. */
export type QuestionAnswer = string | Readonly<Record<string, string>>;

/** Session in whose history a paused run waits; may also name the run and the questions that the caller means. */
export interface PausedSession {
  readonly sessionId: string;
  readonly principal?: Principal;
  readonly runId?: string;
  readonly questions?: readonly Pick<Question, 'callId'>[];
}

/** A paused run, or the session in whose history it waits. */
export type ResumePoint = PausedRun | PausedSession;
