import { KernelError } from '../base/errors.ts';
import type { ApprovalStore } from '../approval/approval-store.ts';
import type { HistoryStore } from './history-store.ts';
import type { JobStore } from './job-store.ts';
import type { RunJournal } from './journal.ts';
import type { RunStore } from './run-store.ts';
import type { SnippetStore } from './snippet.ts';

/**
 * What outlives the process, shared by every process that opens the same medium.
 *
 * Time and ids come from the caller, never from the medium: a `now` is milliseconds since the Unix epoch, an id 1–200
 * characters without control characters. A principal may be any text. A promise that resolves means that the change is
 * on the disk, except where a method says less. Values are copied, so later changes to them change nothing.
 *
 * Every method may reject with a `KernelError`:
 * - `E_STATE_UNAVAILABLE` (retryable): the medium is gone, locked or full. A change may have been made nevertheless,
 *   so read before you repeat it.
 * - `E_STATE_CORRUPT`: the row that was asked for is damaged; the message names its table and key.
 * - `E_STATE_INVALID`: the value cannot be kept: too large (16 MiB of JSON), no JSON, or an id out of bounds.
 * - `E_STATE_CONFLICT`: something else is in the place already. Methods that expect this answer with a value instead.
 *
 * Snippets keep the codes of their own port. After disposal every method rejects with `E_STATE_UNAVAILABLE`.
 */
export interface StateStore extends AsyncDisposable {
  readonly runs: RunStore;
  readonly journal?: RunJournal;
  readonly approvals?: ApprovalStore;
  readonly jobs?: JobStore;
  readonly history?: HistoryStore;
  readonly snippets?: SnippetStore;
  readonly retention?: RetentionStore;
}

/** Name of a part that a state store may leave out. */
export type StateStorePart = Exclude<keyof StateStore, 'runs' | typeof Symbol.asyncDispose>;

/** A state store that has the named parts. */
export type StateStoreWith<Part extends StateStorePart> = StateStore & Required<Pick<StateStore, Part>>;

/** A state store that has every part. */
export type CompleteStateStore = StateStoreWith<StateStorePart>;

const allParts: Readonly<Record<StateStorePart, true>> = {
  journal: true,
  approvals: true,
  jobs: true,
  history: true,
  snippets: true,
  retention: true,
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
  throw new KernelError('E_CONFIG_INVALID', `The state store has no ${missing.join(', ')}: use one that has`);
}

/**
 * Takes what is over out of a store for good. Any number of processes may do so at once. The audit log of approvals and
 * conversations stay. What a run has pinned in a store of blobs is for the caller to give back first.
 */
export interface RetentionStore {
  /** Removes a final run with its journal, its approvals and its jobs, all or nothing; `false` when it is live or not there. */
  removeRun(id: string): Promise<boolean>;
  /**
   * Removes what belongs to no run on record, as calls do that a client makes by itself: approvals that are pending no
   * more and whose time was over before `before`, and the calls of a run id when all of them were over by then. Damaged
   * rows stay, and so do events. Gives how many approvals and run ids went.
   */
  removeOrphans(before: number): Promise<number>;
}
