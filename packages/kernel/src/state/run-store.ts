import type { ModelError } from '../model/model-event.ts';
import type { JsonObject, JsonValue } from '../base/json.ts';
import type { Page, PageRequest } from '../base/page.ts';
import type { Principal, RunWriter } from '../base/run-context.ts';
import type { RunEventOf } from '../event/run-event.ts';
import type { SandboxLanguage } from '../sandbox/sandbox.ts';
import type { SnippetTool } from './snippet.ts';

/**
 * `running`, `paused` and `blocked` are live: the run may continue. The others are final. A blocked run is one that is paused because
 * no process that tried it has what it needs.
 */
export type RunStatus = LiveRunStatus | 'completed' | 'failed' | 'cancelled';

/** Status of a run that may continue. */
export type LiveRunStatus = 'running' | 'paused' | 'blocked';

/** The statuses of runs that may continue. */
export const liveRunStatuses: readonly LiveRunStatus[] = ['running', 'paused', 'blocked'];

/** Returns true for the status of a run that may continue. */
export function isLiveRun(status: RunStatus): status is LiveRunStatus {
  return (liveRunStatuses as readonly RunStatus[]).includes(status);
}

/** Returns the status of a run for people: `queued` for one that no process has begun. */
export function shownStatusOf({ status, epoch }: Pick<Run, 'status' | 'epoch'>): RunStatus | 'queued' {
  return status === 'running' && epoch === 0 ? 'queued' : status;
}

/** Something that a run needs as it was when the run started. */
export interface RunNeed {
  readonly kind: 'agent' | 'key' | 'script' | 'tool';
  /** Name of the agent or tool. */
  readonly name?: string;
  /** `missing`: there is none of this name. */
  readonly state: 'changed' | 'missing';
}

/** Reasons for which a run is blocked. */
export interface RunBlock {
  /** Everything that it needs, for people. */
  readonly message: string;
  readonly needs: readonly RunNeed[];
}

/** Everything needed to replay a run from its journal. Fixed when the run is created. */
export interface RunDefinition {
  /** Kind of run, for example `chain`. */
  readonly kind: string;
  /** Source of the script. */
  readonly code?: string;
  readonly language?: SandboxLanguage;
  /** SHA-256 of everything that determines the behaviour of the script. Compared when the run is resumed. */
  readonly scriptDigest?: string;
  /** Tools that the run may call, as defined when it was created. */
  readonly tools?: readonly SnippetTool[];
  readonly input?: JsonValue;
  readonly policy?: JsonObject;
  readonly limits?: JsonObject;
  /** Fields specific to the kind. */
  readonly details?: JsonObject;
}

/** Outcome of a run. */
export interface RunOutcome {
  readonly result?: JsonValue;
  /** Of a model, with the fields of its error. */
  readonly error?: ModelError;
}

/** Run to create. */
export interface NewRun {
  readonly id: string;
  readonly principal: Principal;
  readonly sessionId: string;
  readonly parentRunId?: string;
  readonly definition: RunDefinition;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
}

/** Run as stored. */
export interface Run extends NewRun {
  readonly status: RunStatus;
  /** Time of the last change of status, milliseconds since the Unix epoch. */
  readonly updatedAt: number;
  /** Process that executes the run, or did when it died; absent when it was released. */
  readonly owner?: string;
  /**
   * Number of times that a process took the run: 1 if it was created with an owner, 0 without one. Each claim increases it by
   * one, unless the owner already had the run.
   */
  readonly epoch: number;
  /** Present if the run is blocked. */
  readonly block?: RunBlock;
  /** Present if the run is final. */
  readonly outcome?: RunOutcome;
}

/** Process that takes a run. */
export interface RunHolder {
  /** Id of its record in {@link ProcessStore}. A process without one has the run only until another claims it. */
  readonly owner: string;
  /** For a run that is created or claimed by the run above it: the process that executes that one. */
  readonly above?: RunWriter;
}

/** Page of the running runs that no process executes. */
export interface FreeRunsRequest extends PageRequest {
  /** True to leave out queued runs, which no process has executed yet. There may be many of them, and the engine wakes them. */
  readonly isBegun?: boolean;
}

/** Claim of a run that another process may have begun. */
export interface RunClaim extends RunHolder {
  /**
   * First event of the epoch that the claim begins, so that the record has every attempt, however early its process ends. A store
   * with `events` adds it in the same transaction; other stores ignore it, and all do if the owner already had the run.
   */
  readonly start?: { readonly event: RunEventOf<'run-start'>; readonly now: number };
}

/** Run that a process executes. */
export interface HeldRun {
  readonly id: string;
  readonly epoch: number;
}

/** Change of the status of a run. */
export interface RunTransition {
  /** Accepted current statuses. */
  readonly from: readonly RunStatus[];
  readonly to: RunStatus;
  readonly now: number;
  /** If set, the run changes only while this process is its owner, dead or alive. */
  readonly owner?: string;
  /** If set, the run changes only in this epoch. */
  readonly epoch?: number;
  /** For a change by the run above: the process that executes that one. */
  readonly above?: RunWriter;
  /**
   * For a final status in a store with `inputs`: the run ends only if it has no input with a number above this one. Other stores
   * ignore it.
   */
  readonly inputsRead?: number;
  /** Stored with the status `blocked`, which has to have it. Every other status removes it. */
  readonly block?: RunBlock;
  /** Stored with a final status. */
  readonly outcome?: RunOutcome;
  /**
   * Last event of the run, or of this part of it if the run pauses. A store with `events` adds it to them in the same
   * transaction, as the next one of the run's epoch; other stores ignore it. Without `owner`, an end also adds a `tool-result` for
   * each `tool-call` without one.
   */
  readonly event?: RunEventOf<'run-end' | 'run-paused'>;
}

/** Filter on runs. Absent fields match every run. */
export interface RunFilter {
  readonly principal?: Principal;
  readonly sessionId?: string;
  /** `null`: only runs that are not below another one. */
  readonly parentRunId?: string | null;
  readonly status?: RunStatus;
  /**
   * Only final runs whose last change was before this moment, in milliseconds since the Unix epoch, and that are not below a run
   * that exists.
   */
  readonly endedBefore?: number;
}

/** Paused or blocked run, with the state of its approval requests and of those of the runs below it. */
export interface PausedRun {
  readonly id: string;
  /** Kind of its definition; absent if an earlier version stored the run. */
  readonly kind?: string;
  /** Reason in its last `run-paused` event; absent if the event has none, as for a script that waits for approval. */
  readonly reason?: RunEventOf<'run-paused'>['reason'];
  readonly isBlocked: boolean;
  /** True if a request was decided or has expired, and its call has not taken that yet. */
  readonly isAnswered: boolean;
  /** True if a request is pending. */
  readonly isPending: boolean;
  /** True if a call took its decision after the last pending request was made. */
  readonly hasJustConsumed: boolean;
}

/**
 * Stores runs and their owners, so that exactly one process resumes each run after a crash. A run names the process that
 * executes it; another process can claim it once that one is dead or has no record ({@link ProcessStore}). A process learns that it
 * lost a run from `listHeld`, from `transition` with its `owner`, and from the other parts of the store, which refuse what it
 * writes as {@link RunWriter}. In a store without `processes` every owner counts as dead.
 */
export interface RunStore {
  /**
   * Creates a run with the status `running`, and with an owner if one is given.
   * @throws KernelError `E_STATE_CONFLICT` if the id is taken, the run's parent has ended, or `above` no longer executes its run
   */
  create(run: NewRun, holder?: RunHolder): Promise<Run>;
  get(id: string): Promise<Run | undefined>;
  /** Newest first. */
  list(filter: RunFilter, page?: PageRequest): Promise<Page<Run>>;
  /**
   * Changes the status. A blocked run becomes another one only from `blocked`, not from `paused`. Returns `false` without a change if the run does not exist, has another status or another owner.
   * Every status other than `running` releases the run. A final status never changes. It also withdraws, in the same step,
   * every approval of the run that no call has consumed, because no call can take its decision any more, and cancels every
   * live job of the run. Live runs below it end with it, as `cancelled` and in the same way, because no process would resume
   * them. A store with `values` removes the scratchpads of all these runs (`scratchpadArea`).
   * @throws KernelError `E_STATE_CONFLICT` if `above` no longer executes its run, `E_STATE_INVALID` for `blocked` without a `block`
   */
  transition(id: string, change: RunTransition): Promise<boolean>;
  /**
   * Takes a live run that has no owner, whose owner is dead or has no record, or that this owner already has. Of several concurrent
   * claims exactly one succeeds; the others return `undefined`. The status does not change. The epoch increases by one, unless this
   * owner already had the run. A new epoch withdraws what calls of the earlier ones asked people (`ApprovalRequest.elicitation`):
   * these calls ended with their process.
   * @throws KernelError `E_STATE_CONFLICT` if `above` no longer executes its run
   */
  claim(id: string, request: RunClaim): Promise<Run | undefined>;
  /**
   * Gives the run up, so that any process may claim it at once. Returns `false` if the owner did not have it, or not in
   * `epoch` if that is set.
   */
  release(id: string, owner: string, epoch?: number): Promise<boolean>;
  /**
   * Returns `running` runs that no process executes: first those without an owner, then those of dead owners, owner by owner; the
   * oldest first. Reads no more than the page needs.
   */
  listFree(page?: FreeRunsRequest): Promise<Page<Run>>;
  /** Returns every live run of an owner, dead or alive, in one query that reads no other runs. */
  listHeld(owner: string): Promise<readonly HeldRun[]>;
  /** Returns paused and blocked runs, the newest first. One query, which reads no more than the page needs. */
  listPaused(page?: PageRequest): Promise<Page<PausedRun>>;
  /**
   * Returns the ids of paused and blocked runs, the oldest first, that wait for nothing: a request of theirs, or of a run below them, was
   * decided and its call has not taken the decision yet, or it expired at `expiredSince` or later.
   */
  listAnswered(expiredSince: number, page?: PageRequest): Promise<Page<string>>;
  /** Returns the number of paused and blocked runs of a principal that are not below another one; not more than `atMost`. */
  countPaused(principal: Principal, atMost: number): Promise<number>;
}
