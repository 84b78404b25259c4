import type { InvocationError } from '../call/invocation-result.ts';
import type { JsonValue } from '../base/json.ts';
import type { Page, PageRequest } from '../base/page.ts';
import type { Principal } from '../base/run-context.ts';

/** `queued` and `running` are live; the others are final. */
export type JobStatus = 'queued' | 'running' | 'completed' | 'failed' | 'cancelled';

/** Work in the background as it is begun. */
export interface NewJob {
  readonly id: string;
  readonly principal: Principal;
  readonly sessionId: string;
  /** The run that does the work; its lease says who is at it. */
  readonly runId?: string;
  /** The tool that runs in the background, for one. */
  readonly kind: string;
  readonly input?: JsonValue;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
}

/** Work in the background as it stands. */
export interface Job extends NewJob {
  readonly status: JobStatus;
  /** From 1, one more with each change. */
  readonly version: number;
  /** How far it is, in whatever form its kind has. */
  readonly progress?: JsonValue;
  readonly result?: JsonValue;
  readonly error?: InvocationError;
  /** Of the last change, milliseconds since the Unix epoch. */
  readonly updatedAt: number;
}

/** A change of a job; what is absent stays as it is. */
export interface JobChange {
  readonly status?: JobStatus;
  readonly progress?: JsonValue;
  readonly result?: JsonValue;
  readonly error?: InvocationError;
  readonly now: number;
}

/** Which jobs are asked for; what is absent does not matter. */
export interface JobFilter {
  readonly principal?: Principal;
  readonly sessionId?: string;
  readonly runId?: string;
  readonly status?: JobStatus;
}

/** Keeps jobs. */
export interface JobStore {
  /** Begins a job with the status `queued` and version 1. @throws KernelError `E_STATE_CONFLICT` when the id is taken */
  create(job: NewJob): Promise<Job>;
  get(id: string): Promise<Job | undefined>;
  /** Newest first. */
  list(filter: JobFilter, page?: PageRequest): Promise<Page<Job>>;
  /**
   * Compare-and-swap: changes the job when it still has that version and is live, and gives it back as it is then.
   * `undefined`, and nothing is changed, otherwise: read it again.
   */
  update(id: string, expectedVersion: number, change: JobChange): Promise<Job | undefined>;
}
