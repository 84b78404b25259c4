import type { RunWakeReason, WakeOptions } from './run-engine.ts';

/**
 * Open transaction of a state store, for an engine in the same database. Valid until the function that received it settles.
 */
export interface StateTransaction {
  /** Kind of database, such as `postgres` or `sqlite`. An engine refuses one that it cannot join with `E_UNSUPPORTED`. */
  readonly database: string;
  /**
   * Runs one statement in the transaction and returns its rows. Parameters are written `$1`, `$2`….
   * @throws KernelError as the methods of the state store; the transaction cannot commit after that
   */
  run(
    statement: string,
    values?: readonly (string | number | null)[],
  ): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

/** Run that a process may execute now, or has to look at later. It is part of no other run. */
export interface WorkableRun {
  readonly runId: string;
  /** Key of its principal: 1–200 characters without control characters. */
  readonly group: string;
  /** Kind of its definition, `agent` or `chain` for example. */
  readonly kind: string;
  readonly reason: RunWakeReason;
}

/** Receiver of workable runs, which wakes them. */
export interface WakeSink {
  /**
   * `within`: it is called inside the transaction of the state store that makes the runs workable, and what it does is part of that. If it
   * rejects, the transaction is rolled back. `after`: it is called after the commit, without `within`, and its failure has no effect.
   */
  readonly when: 'within' | 'after';
  /** Wakes runs, at most 500. */
  wake(runs: readonly WorkableRun[], options: WakeOptions): Promise<void>;
}

/**
 * Part `wakes` of a state store: it finds out which runs became workable, and tells a {@link WakeSink}. They are runs that were created or
 * released without an owner, whose process was removed, which are blocked no longer, or which wait for an approval that was decided or a
 * run that has ended. Of a run inside another one it names the outermost.
 */
export interface RunWakes {
  /**
   * Connects a sink to this open store until the result is disposed. A sink with `within` is tried in a transaction that is rolled back.
   * @throws KernelError of the sink if it cannot be part of transactions
   */
  attach(sink: WakeSink): Promise<Disposable>;
  /**
   * Wakes runs, at most 500, for a process that found them by a look at the store. With `orphaned`, `begun` and `retried` only
   * those that no process executes.
   */
  send(runIds: readonly string[], reason: RunWakeReason, options?: Pick<WakeOptions, 'takeOver'>): Promise<void>;
}
