/** Request to cancel a run, or one of its jobs, that another process executes. */
export interface Cancellation {
  readonly runId: string;
  /** Absent if the run itself shall be cancelled. */
  readonly jobId?: string;
  /** Milliseconds since the Unix epoch. */
  readonly requestedAt: number;
}

/**
 * Recorded cancellations, so that any process can cancel what another one executes: it records the request, and the owner of the run
 * reads those of its runs. A request outlives both processes, so the next owner of the run finds it too.
 */
export interface CancellationStore {
  /**
   * Records a request; one that is recorded already stays as it is. Returns `false` without a record if the run is not live, or a job is
   * named that has ended or is not of this run.
   */
  request(cancellation: Cancellation): Promise<boolean>;
  /**
   * Returns the requests that this process may carry out, the oldest first, at most a hundred: those for live runs that `owner` holds, and
   * for paused and blocked runs, which no process holds. A request stays until the run or the job has ended.
   */
  list(owner: string): Promise<readonly Cancellation[]>;
  /** True if a request to cancel the run itself is recorded: a process that takes the run over must not continue it. */
  has(runId: string): Promise<boolean>;
  /** Forgets requests for runs and jobs that have ended. Returns how many these were. */
  removeEnded(): Promise<number>;
}
