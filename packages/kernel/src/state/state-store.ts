import { KernelError } from '../base/errors.ts';
import type { ApprovalStore } from '../approval/approval-store.ts';
import type { RunWakes } from '../engine/state-transaction.ts';
import type { BudgetStore } from './budget-store.ts';
import type { CancellationStore } from './cancellation-store.ts';
import type { ChannelStore } from './channel-store.ts';
import type { ExchangeStore } from './exchange-store.ts';
import type { HistoryStore } from './history-store.ts';
import type { IdentityStore } from './identity-store.ts';
import type { JobStore } from './job-store.ts';
import type { RunJournal } from './journal.ts';
import type { LeaseStore } from './lease-store.ts';
import type { MemoryStore } from './memory-store.ts';
import type { ProcessStore } from './process-store.ts';
import type { RateStore } from './rate-store.ts';
import type { RunEventStore } from './run-event-store.ts';
import type { RequestStore } from './request-store.ts';
import type { RunInputStore } from './run-input-store.ts';
import type { RunStore } from './run-store.ts';
import type { SnippetStore } from './snippet.ts';
import type { TriggerStore } from './trigger-store.ts';
import type { ValueStore } from './value-store.ts';

/**
 * Durable state, shared by every process that opens the same storage. Only `runs` is required; an adapter may leave out the
 * other parts, and a program that needs one checks for it with {@link requireStateStoreParts}.
 *
 * Time and ids come from the caller, not from the storage: a `now` is milliseconds since the Unix epoch, an id has 1–200
 * characters without control characters. A principal may be any text. When a promise resolves, the change is on disk,
 * except where a method promises less. Values are copied, so later changes to them have no effect.
 *
 * Every method may reject with a `KernelError`:
 * - `E_STATE_UNAVAILABLE` (retryable): the storage is gone, locked or full. The change may have been made nevertheless, so
 *   read before you repeat it.
 * - `E_STATE_CORRUPT`: the requested row is damaged; the message names its table and key.
 * - `E_STATE_INVALID`: the value cannot be stored: larger than 16 MiB of JSON, not JSON, or an id out of bounds.
 * - `E_STATE_CONFLICT`: the place is already taken. Methods that expect this return a value instead.
 *
 * Snippets have their own codes. After disposal every method rejects with `E_STATE_UNAVAILABLE`.
 */
export interface StateStore extends AsyncDisposable {
  readonly runs: RunStore;
  /** Without it no process can keep its runs from others. */
  readonly processes?: ProcessStore;
  readonly journal?: RunJournal;
  readonly events?: RunEventStore;
  readonly approvals?: ApprovalStore;
  readonly jobs?: JobStore;
  readonly history?: HistoryStore;
  readonly exchanges?: ExchangeStore;
  readonly requests?: RequestStore;
  readonly snippets?: SnippetStore;
  readonly retention?: RetentionStore;
  readonly values?: ValueStore;
  readonly budgets?: BudgetStore;
  readonly inputs?: RunInputStore;
  readonly memories?: MemoryStore;
  readonly channels?: ChannelStore;
  readonly triggers?: TriggerStore;
  readonly rates?: RateStore;
  readonly cancellations?: CancellationStore;
  /** Without it each process does all maintenance. */
  readonly leases?: LeaseStore;
  readonly wakes?: RunWakes;
  /** Absent in a store that ends with its process. */
  readonly identity?: IdentityStore;
  /**
   * Checks that the storage can be read and written now. Absent if a read shows that. Cheap enough for every few seconds.
   * @throws KernelError `E_STATE_UNAVAILABLE`, or `E_STATE_CORRUPT` if the storage itself is damaged or an earlier operation found
   *   that. The message names no table, path or address.
   */
  check?(): Promise<void>;
}

/** Name of a part that a state store may leave out. */
export type StateStorePart = Exclude<keyof StateStore, 'runs' | 'identity' | 'check' | typeof Symbol.asyncDispose>;

/** A state store that has the named parts. */
export type StateStoreWith<Part extends StateStorePart> = StateStore & Required<Pick<StateStore, Part>>;

/** A state store that has every part. */
export type CompleteStateStore = StateStoreWith<StateStorePart>;

const allParts: Readonly<Record<StateStorePart, true>> = {
  processes: true,
  journal: true,
  events: true,
  approvals: true,
  jobs: true,
  history: true,
  exchanges: true,
  requests: true,
  snippets: true,
  retention: true,
  values: true,
  budgets: true,
  inputs: true,
  memories: true,
  channels: true,
  triggers: true,
  rates: true,
  cancellations: true,
  leases: true,
  wakes: true,
};

/**
 * Returns the store as one that has the named parts, all of them by default.
 * @throws KernelError `E_CONFIG_INVALID` when it lacks some; the message names them
 */
export function requireStateStoreParts<Part extends StateStorePart = StateStorePart>(
  store: StateStore,
  parts: readonly Part[] = Object.keys(allParts) as Part[],
): StateStoreWith<Part> {
  const missing = parts.filter((part) => store[part] === undefined);
  if (missing.length === 0) return store as StateStoreWith<Part>;
  throw new KernelError(
    'E_CONFIG_INVALID',
    `The state store lacks ${missing.join(', ')}: configure another plugins.stateStore`,
  );
}

/**
 * Deletes finished work permanently. Several processes may do so at once. The audit log of approvals and the conversations
 * stay. The caller first unpins the blobs of a run.
 */
export interface RetentionStore {
  /**
   * Removes a final run with its journal, events, exchanges, approvals, jobs and inputs. Returns `false` if it is live or does not
   * exist. A large run is removed in slices, and the run itself last.
   */
  removeRun(id: string): Promise<boolean>;
  /**
   * Removes records that belong to no stored run, such as direct calls of a client: approvals that are not pending and
   * expired before `before`, and all calls of a run id if every one of them ended by then. Damaged rows and events stay.
   * Returns the number of removed approvals plus the number of removed run ids. Shared contents that no exchange uses are
   * removed too, scratchpads of runs that are not live, and triggers that ended before `before`; they are not counted. It works in slices, and other work of the process goes first.
   */
  removeOrphans(before: number): Promise<number>;
  /**
   * Stores the journal, the events and the exchanges of one final run, which ended before `before`, and the messages of its
   * conversation in less space; what is read of them does not change. Returns false if there is no such run left.
   */
  packNext(before: number): Promise<boolean>;
  /**
   * Gives some of the space that removed records occupied back to the file system, in a slice short enough for a server at
   * work. Returns true if there may be more. Storage that does this itself returns false.
   */
  reclaim(): Promise<boolean>;
}
