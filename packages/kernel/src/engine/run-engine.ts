import type { Page, PageRequest } from '../base/page.ts';
import type { DeadWake, EngineFigures } from './engine-figures.ts';
import type { StateTransaction } from './state-transaction.ts';

/** Reason of a wake, for logs and figures. It decides nothing: the handler reads the run. */
export type RunWakeReason =
  | 'begun'
  | 'answered'
  | 'due'
  | 'orphaned'
  | 'child-ended'
  | 'completion'
  | 'cancelled'
  | 'retried';

/**
 * Request to look at a run. Ids and names have 1–200 characters without control characters. An engine stores nothing else: no
 * argument, prompt or result.
 */
export interface RunWake {
  readonly runId: string;
  /** Runs of one group share its limit and take turns with other groups; the principal, for example. */
  readonly group: string;
  /** Only workers with this version take the wake. */
  readonly version: string;
  readonly reason: RunWakeReason;
  /** Integer from -100 to 100; 0 by default. Of one group, the highest is taken first. */
  readonly priority?: number;
  /** Earliest time, in milliseconds since the Unix epoch by the clock of the caller. An engine in a database waits by its clock. */
  readonly notBefore?: number;
}

/** Options of {@link RunEngine.wake}. */
export interface WakeOptions {
  /** Transaction that the wakes are part of: they exist if it commits. Needs `supports.transactions`. */
  readonly within?: StateTransaction;
  /**
   * True if the processes that have the runs are known to be dead. The engine takes the runs from them at once instead of after
   * `supports.deadAfterMs`, and aborts their handlers if they are alive after all.
   */
  readonly takeOver?: boolean;
}

/** Outcome of a handler. `again` asks for another look at that time, and does not count as a failure. */
export type WakeOutcome = { readonly status: 'done' } | { readonly status: 'again'; readonly notBefore: number };

/**
 * Hint for the processes that work: a run was cancelled, or has new input. Its record is in the state store before. `missed`
 * comes from the engine: hints may have been lost, so the process looks at all of its runs.
 */
export type RunSignal = { readonly type: 'cancel' | 'input'; readonly runId: string } | { readonly type: 'missed' };

/** Process, or part of one, that takes wakes. */
export interface RunWorker {
  /** Versions of runs that it can execute; at least one, at most 20. */
  readonly versions: readonly string[];
  /** Maximum handlers at once; 1–1 000. */
  readonly slots: number;
  /**
   * Looks at a run, and executes it as far as it goes. It claims the run in the state store first, because an engine may wake two
   * processes for one run. A rejection is repeated with a growing delay, and after `supports.maxAttempts` the wake is dead.
   * `signal` aborts when the engine has given the run to another, or is disposed; what the handler does then is up to it.
   */
  handle(wake: RunWake, options: { readonly signal: AbortSignal }): Promise<WakeOutcome>;
  /** Receives hints. It must not throw. */
  onSignal?(signal: RunSignal): void;
}

/** Properties in which engines differ. */
export interface EngineSupport {
  /** True if wakes outlive the process that made them, and several processes share them. */
  readonly processes: boolean;
  /** True if wakes can be part of a transaction of the state store ({@link WakeOptions.within}). */
  readonly transactions: boolean;
  /** Maximum runs of one group that are handled at once, in all processes. Absent: no limit. */
  readonly groupLimit?: number;
  /** Longest delay until `notBefore`, in milliseconds. */
  readonly maxDelayMs: number;
  /** Attempts after which a wake is dead. */
  readonly maxAttempts: number;
  /** Milliseconds after which the runs of a dead process are given to another without {@link WakeOptions.takeOver}. Absent without `processes`. */
  readonly deadAfterMs?: number;
}

/**
 * Decides which process looks at which run, and when. It moves ids; the state store has the facts. A wake may come late or twice, so
 * nothing depends on an engine for correctness: the owner of the run and the journal decide who may act.
 *
 * Methods reject with `E_ENGINE_UNAVAILABLE` if the engine cannot be reached or is full, which is retryable, or was disposed; with
 * `E_ARGUMENTS_INVALID` for values out of bounds; and with `E_UNSUPPORTED` for what `supports` excludes.
 */
export interface RunEngine extends AsyncDisposable {
  readonly name: string;
  readonly supports: EngineSupport;
  /**
   * Asks for a look at runs; all of the wakes, or none. At least once after the promise resolves, or after the commit of `within`.
   * Wakes of one run that no worker has taken are merged: the earliest time and the highest priority count. A wake of a run that is
   * being handled is delivered after that. At most 1 000 wakes.
   */
  wake(wakes: readonly RunWake[], options?: WakeOptions): Promise<void>;
  /**
   * Takes wakes until the result is disposed, which waits for its handlers. At most one handler for one run at a time, as far as the
   * engine knows. Groups take turns: a group with many wakes does not delay the first one of another.
   */
  work(worker: RunWorker): Promise<AsyncDisposable>;
  /** Sends a hint to every worker of every process. Workers that are not connected receive `missed` later. */
  signal(signal: Exclude<RunSignal, { readonly type: 'missed' }>): Promise<void>;
  figures(): Promise<EngineFigures>;
  /** Lists dead wakes, the oldest first. */
  listDead(page?: PageRequest): Promise<Page<DeadWake>>;
  /** Wakes the run of a dead wake again, with new attempts. Returns false if the run has none. */
  retryDead(runId: string): Promise<boolean>;
  /** Removes a dead wake. Returns false if the run has none. */
  removeDead(runId: string): Promise<boolean>;
  /**
   * Takes no more wakes, aborts the signals of handlers and waits for them. The engine keeps the wakes whose handlers reject then,
   * without counting an attempt.
   */
  [Symbol.asyncDispose](): Promise<void>;
}
