import type { Journal } from './journal.ts';

/** What outlives the process. */
export interface StateStore extends AsyncDisposable {
  readonly journal: Journal;
}
