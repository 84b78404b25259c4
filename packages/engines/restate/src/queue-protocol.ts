import type { CheckedWake } from '@ravi/engine-kit';
import type { DeadWake, RunSignal, RunWake } from '@ravi/kernel';

/** Values of every request that changes the order of runs. */
export interface RequestContext {
  /** Time of the caller, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** Maximum runs of one group that are handled at once; no limit by default. */
  readonly groupLimit?: number;
}

/** Request to wake runs. */
export interface WakeRequest extends RequestContext {
  readonly wakes: readonly CheckedWake[];
  readonly takeOver: boolean;
  /** Maximum runs that wait. */
  readonly maxRuns: number;
}

/** Reply to a {@link WakeRequest}. */
export interface WakeReply {
  /** Runs that wait; present if these wakes would be too many, and none of them was kept. */
  readonly full?: number;
}

/** Wake, and the attempts that have failed before it. */
export interface AttemptedWake {
  readonly wake: CheckedWake;
  readonly attempts: number;
}

/** End of a handler. */
export interface EndedRun {
  readonly runId: string;
  /** Token of the claim. */
  readonly token: string;
  /** Set if the run needs another look: its handler failed, asked for it, or handed the run back. */
  readonly next?: AttemptedWake;
  /** Set if the wake was given up. */
  readonly dead?: DeadWake;
}

/**
 * Everything that a worker reports and asks for, in one call. It may be repeated: the queue compares it with its records, so a lost request or reply
 * loses nothing.
 */
export interface SyncRequest extends RequestContext {
  readonly worker: string;
  /** True in the first request, also if it fails: signals of the time before it are not missed. */
  readonly isNew: boolean;
  /** True if the worker ends: its runs go to others. */
  readonly isLeaving: boolean;
  /** Versions that it takes, in the order in which they have their turn. */
  readonly versions: readonly string[];
  /** Free slots. */
  readonly free: number;
  /** Tokens of the runs that it has. */
  readonly held: readonly string[];
  readonly ended: readonly EndedRun[];
  /** Number of the last signal that it received. */
  readonly heard: number;
  readonly heartbeatMs: number;
}

/** Run that is given to a worker. */
export interface GivenRun {
  readonly token: string;
  readonly wake: RunWake;
  readonly attempts: number;
}

/** Signal in the mailbox of a worker. */
export interface NumberedSignal {
  readonly number: number;
  readonly signal: RunSignal;
}

/** Reply to a {@link SyncRequest}. */
export interface SyncReply {
  readonly runs: readonly GivenRun[];
  /** Tokens of runs that others have by now. */
  readonly lost: readonly string[];
  readonly signals: readonly NumberedSignal[];
  /** True if the queue had given up the worker, or does not know it: signals may have been lost. */
  readonly wasUnknown: boolean;
}

/** Request to wait for news of a worker. */
export interface ListenRequest {
  readonly worker: string;
  readonly waitMs: number;
}
