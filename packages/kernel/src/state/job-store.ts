import type { InvocationError } from '../tool/invocation-result.ts';
import type { JsonValue } from '../base/json.ts';
import type { Page, PageRequest } from '../base/page.ts';
import type { Principal, RunWriter } from '../base/run-context.ts';
import type { JobStatus } from '../tool/tool-run.ts';

/** Background job to create. */
export interface NewJob {
  readonly id: string;
  readonly principal: Principal;
  readonly sessionId: string;
  /** Run that does the work. Its owner is the process that works on it. */
  readonly runId?: string;
  /** Call of the run that became the job. */
  readonly callId?: string;
  /** Kind of work, for example the tool that runs in the background. */
  readonly kind: string;
  readonly input?: JsonValue;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
}

/** Background job as stored. */
export interface Job extends NewJob {
  readonly status: JobStatus;
  /** Starts at 1 and increases by one with each change. */
  readonly version: number;
  /** Progress in the format of its kind. */
  readonly progress?: JsonValue;
  readonly result?: JsonValue;
  readonly error?: InvocationError;
  /** Time of the last change, milliseconds since the Unix epoch. */
  readonly updatedAt: number;
}

/** Change of a job. Absent fields keep their values. */
export interface JobChange {
  readonly status?: JobStatus;
  readonly progress?: JsonValue;
  readonly result?: JsonValue;
  readonly error?: InvocationError;
  readonly now: number;
  /** If set, the change is refused unless this process executes its run. */
  readonly writer?: RunWriter;
}

/** Cancellation of a job whose run no process executes. */
export interface JobCancellation {
  readonly version: number;
  readonly now: number;
  /** Message of its error `E_CANCELLED`, and of those of everything that ends with it. */
  readonly reason: string;
}

/** Filter on jobs. Absent fields match every job. */
export interface JobFilter {
  readonly principal?: Principal;
  readonly sessionId?: string;
  readonly runId?: string;
  readonly status?: JobStatus;
}

/** Stores background jobs. */
export interface JobStore {
  /**
   * Creates a job with the status `queued` and version 1.
   * @throws KernelError `E_STATE_CONFLICT` if the id is taken, or `writer` no longer executes its run
   */
  create(job: NewJob, writer?: RunWriter): Promise<Job>;
  get(id: string): Promise<Job | undefined>;
  /** Newest first. */
  list(filter: JobFilter, page?: PageRequest): Promise<Page<Job>>;
  /**
   * Changes the job if it is live and still has that version, and returns the changed job. Otherwise nothing changes and the
   * result is `undefined`: read the job again.
   * @throws KernelError `E_STATE_CONFLICT` if the `writer` of the change no longer executes its run
   */
  update(id: string, expectedVersion: number, change: JobChange): Promise<Job | undefined>;
  /**
   * Cancels a live job of that version, unless a process executes its run, and ends in the same step everything that its call waits
   * for: the runs that work for the call are cancelled, and its approvals that no call has consumed are withdrawn, so that no
   * question stays without a job. Returns `undefined` without a change otherwise.
   */
  cancel(id: string, cancellation: JobCancellation): Promise<Job | undefined>;
}
