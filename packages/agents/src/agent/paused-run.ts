import type { ApprovalStore, ChainFile, ModelMessage, ModelUsage, Principal, Question, RunJournal } from '@ravi/kernel';
import type { BudgetRecord, Permissions } from './run-snapshot.ts';

/** Everything that is needed to resume a run, in this process or another: JSON unless it contains media bytes. */
export interface PausedRun {
  readonly runId: string;
  readonly sessionId: string;
  readonly principal: Principal;
  readonly agent: string;
  readonly questions: readonly Question[];
  /** Permissions of the run when it paused; it resumes with these or fewer. */
  readonly permissions: Permissions;
  readonly steps: number;
  readonly usage: ModelUsage;
  /** Present for a run with a budget, which resumes with the remainder. */
  readonly budget?: BudgetRecord;
  /** Files of the run, if it has any. */
  readonly files?: readonly ChainFile[];
  /** Paused sub-agents whose runs no store has, by the id of the call that they work for. */
  readonly subAgents?: Readonly<Record<string, PausedRun>>;
  /** The conversation up to the open calls. */
  readonly messages: readonly ModelMessage[];
}

/** Answer to the only question of a run, or answers by `callId`. An answer by `callId` is not accepted for another question. */
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

/** Stores from which an interrupted or paused run continues. */
export interface RecoveryStores {
  /** Journal in which the invoker recorded the calls with side effects. */
  readonly journal: Pick<RunJournal, 'entries'>;
  /** Approvals that the run requested. Needed if approvals are stored. */
  readonly approvals?: Pick<ApprovalStore, 'list' | 'withdraw' | 'consume'> | undefined;
}

/** Progress of a run when it stopped. */
export interface ResumedFrom {
  readonly steps: number;
  readonly usage: ModelUsage;
  /** True if the run store already lists the run as running, and as ours. */
  readonly isRecovered?: boolean;
  /** Epoch in which this process claimed it. Present if it is recovered. */
  readonly claimedEpoch?: number;
  /** True if the run was paused for approvals. */
  readonly wasPaused?: boolean;
}
