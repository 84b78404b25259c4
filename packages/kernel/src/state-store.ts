import type { ApprovalStore } from './approval-store.ts';
import type { HistoryStore } from './history-store.ts';
import type { JobStore } from './job-store.ts';
import type { RunJournal } from './journal.ts';
import type { RetentionStore } from './retention-store.ts';
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
  readonly journal: RunJournal;
  readonly approvals: ApprovalStore;
  readonly jobs: JobStore;
  readonly history: HistoryStore;
  readonly snippets: SnippetStore;
  readonly retention: RetentionStore;
}
