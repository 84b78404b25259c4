import type { InvocationError } from '../call/invocation-result.ts';
import type { JsonObject, JsonValue } from '../base/json.ts';
import type { Listing, Page, PageRequest } from '../base/page.ts';
import type { Principal } from '../base/run-context.ts';
import type { SandboxLanguage } from '../sandbox/sandbox.ts';
import type { SnippetTool } from './snippet.ts';

/** `running` and `paused` are live: they may go on. The others are final. */
export type RunStatus = 'running' | 'paused' | 'completed' | 'failed' | 'cancelled';

/** Everything that is needed to run it again from the journal, fixed when the run begins. */
export interface RunDefinition {
  /** What runs it, `chain` for one. */
  readonly kind: string;
  /** The script as it was written. */
  readonly code?: string;
  readonly language?: SandboxLanguage;
  /** SHA-256 of everything that decides how the script behaves; a resumed run compares it. */
  readonly scriptDigest?: string;
  /** The tools that the run may call, as they were defined when it began. */
  readonly tools?: readonly SnippetTool[];
  readonly input?: JsonValue;
  readonly policy?: JsonObject;
  readonly limits?: JsonObject;
  /** What only the kind knows. */
  readonly details?: JsonObject;
}

/** The right to run it, for one process at a time and until a moment. */
export interface RunLease {
  /** A name that no other process has, new for each start of a process. */
  readonly owner: string;
  /** Milliseconds since the Unix epoch; from then on somebody else may claim the run. */
  readonly expiresAt: number;
}

/** How a run ended. */
export interface RunOutcome {
  readonly result?: JsonValue;
  readonly error?: InvocationError;
}

/** A run as it is begun. */
export interface NewRun {
  readonly id: string;
  readonly principal: Principal;
  readonly sessionId: string;
  readonly parentRunId?: string;
  readonly definition: RunDefinition;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
}

/** A run as it stands. */
export interface Run extends NewRun {
  readonly status: RunStatus;
  /** Of the last change of status, milliseconds since the Unix epoch. */
  readonly updatedAt: number;
  /** Held by somebody, or expired; absent when it was released. */
  readonly lease?: RunLease;
  /** Present once the run is final. */
  readonly outcome?: RunOutcome;
}

/** Who wants a lease, when and for how long. */
export interface LeaseRequest {
  readonly owner: string;
  readonly now: number;
  readonly leaseMs: number;
}

/** A change of status. */
export interface RunTransition {
  /** The run must have one of these. */
  readonly from: readonly RunStatus[];
  readonly to: RunStatus;
  readonly now: number;
  /** When given, the run changes only while this owner holds its lease, expired or not. */
  readonly owner?: string;
  /** Kept with a final status. */
  readonly outcome?: RunOutcome;
}

/** Which runs are asked for; what is absent does not matter. */
export interface RunFilter {
  readonly principal?: Principal;
  readonly sessionId?: string;
  readonly parentRunId?: string;
  readonly status?: RunStatus;
  /** Only final runs whose last change was before this moment, in milliseconds since the Unix epoch. */
  readonly endedBefore?: number;
}

/**
 * Keeps runs, so that exactly one process goes on with each after a crash: who runs it holds a lease and renews it, and
 * a lease that is not renewed can be claimed by another. A process that lost its lease finds out by `renew`, by
 * `transition` with its `owner`, and by the journal, which refuses its entries.
 */
export interface RunStore {
  /** Begins a run with the status `running`, with a lease from the start when one is asked for. @throws KernelError `E_STATE_CONFLICT` when the id is taken */
  create(run: NewRun, lease?: LeaseRequest): Promise<Run>;
  get(id: string): Promise<Run | undefined>;
  /** Newest first. */
  list(filter: RunFilter, page?: PageRequest): Promise<Page<Run>>;
  /**
   * Compare-and-swap of the status; `false`, and nothing is changed, when the run is not there, has another status or
   * another owner. Any status but `running` gives the lease back. A final status stays.
   */
  transition(id: string, change: RunTransition): Promise<boolean>;
  /**
   * Takes the lease of a live run that nobody holds, whose lease has expired, or that this owner holds already. Of many
   * who try exactly one gets the run; the others get `undefined`. The status stays.
   */
  claim(id: string, request: LeaseRequest): Promise<Run | undefined>;
  /** Moves the end of the owner's lease; `false` when another has it now or nobody. An expired lease that nobody claimed is renewed. */
  renew(id: string, request: LeaseRequest): Promise<boolean>;
  /** Gives the lease back, so that anybody may claim the run at once; `false` when the owner did not have it. */
  release(id: string, owner: string): Promise<boolean>;
  /** Runs with the status `running` that nobody runs: their lease expired or was given back. Those that wait longest come first; at most `limit` (100). */
  listExpired(now: number, limit?: number): Promise<Listing<Run>>;
}
