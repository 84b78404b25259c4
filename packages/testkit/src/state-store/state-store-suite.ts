import assert from 'node:assert/strict';
import { isKernelError } from '@ravi/kernel';
import type {
  KernelErrorCode,
  Listing,
  NewRun,
  Page,
  PageRequest,
  StateStore,
  StateStorePart,
  StateStoreWith,
} from '@ravi/kernel';

/** Record to damage. The ids are those of the port. */
export type StateRecord =
  | { readonly store: 'runs' | 'approvals' | 'jobs'; readonly id: string }
  | { readonly store: 'journal'; readonly runId: string; readonly position: number }
  | { readonly store: 'events'; readonly runId: string; readonly epoch: number; readonly n: number }
  | { readonly store: 'history'; readonly sessionId: string; readonly number: number };

/** A program that opens the medium of a store and hands it to `serveStateStoreRaces`. */
export interface StateStoreProgram {
  /** Path of a module that Node can run. */
  readonly file: string;
  readonly args: readonly string[];
}

/** Abilities of an adapter beyond the port. Cases that need a missing one are reported as skipped. */
export interface StateStoreContractOptions<Store extends StateStore = StateStore> {
  /** Opens another store on the storage of `store`, which was disposed. */
  readonly reopen?: (store: Store) => Store | Promise<Store>;
  /** Makes one record unreadable, directly in the storage. */
  readonly damage?: (store: Store, record: StateRecord) => Promise<void> | void;
  /** Lets time pass for the processes and leases of a store, directly in the storage. */
  readonly passTime?: (store: Store, ms: number) => Promise<void> | void;
  /** Returns a program for another process on the storage of `store`. */
  readonly program?: (store: Store) => StateStoreProgram;
}

/** Suite as passed to the files with its cases. */
export interface StateStoreSuite {
  readonly options: StateStoreContractOptions;
  /** Registers a case that needs the named parts of the store in addition to `runs`; a store without them is spared it. */
  needing<Part extends StateStorePart>(
    ...parts: readonly Part[]
  ): (name: string, body: (store: StateStoreWith<Part>) => Promise<void>) => unknown;
  skip(name: string): unknown;
}

/** Midnight of a day, in milliseconds; time moves only when a case moves it. */
export const midnight: number = Date.UTC(2026, 0, 1);

/** Texts that a principal may be, each another. */
export const principals: readonly string[] = [
  '',
  ' ',
  'ada',
  'ADA',
  'a\0b',
  'a\0c',
  '\ud800',
  '\ud801',
  '漢字',
  // What a store might keep in the place of the empty text.
  'sha256:12ae32cb1ec02d01eda3581b127c1fee3b0dc53572ed6baf239721a03d82e126',
  'x'.repeat(5_000),
  `${'x'.repeat(5_000)}y`,
];

/** Time of silence that no case reaches unless it lets time pass. */
export const deadAfterMs = 60_000;

/** A chain of `ada` that was begun at midnight. */
export function newRun(id: string, overrides: Partial<NewRun> = {}): NewRun {
  return {
    id,
    principal: 'ada',
    sessionId: 'session-1',
    definition: { kind: 'chain', code: "return '漢字 \u2028 \u0000'", language: 'javascript', input: { week: 1 } },
    createdAt: midnight,
    ...overrides,
  };
}

/** The items of a listing without damaged rows. */
export function whole<Item>({ items, corrupt }: Listing<Item>): readonly Item[] {
  assert.deepEqual(corrupt, []);
  return items;
}

/** All items of a list that is read in pages of `limit`. */
export async function allPages<Item>(
  read: (page: PageRequest) => Promise<Page<Item>>,
  limit: number,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  let cursor: string | undefined;
  do {
    const page: Page<Item> = await read({ limit, ...(cursor === undefined ? {} : { cursor }) });
    assert.ok(page.items.length <= limit, `a page has at most ${limit} items`);
    items.push(...whole(page));
    cursor = page.next;
  } while (cursor !== undefined);
  return items;
}

/** Asserts that a promise rejects with a `KernelError` of this code. */
export async function rejectsWith(code: KernelErrorCode, promise: Promise<unknown>): Promise<void> {
  await assert.rejects(promise, (error) => {
    assert.ok(isKernelError(error), `expected a KernelError, got ${String(error)}`);
    assert.equal(error.code, code, error.message);
    return true;
  });
}
