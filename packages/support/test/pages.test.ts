import assert from 'node:assert/strict';
import { test } from 'vitest';
import { KernelError } from '@ravi/kernel';
import type { Page, PageRequest, ProcessRecord } from '@ravi/kernel';
import { livingProcesses, readAllPages, readPages } from '../src/index.ts';

/** Reader of a list, and the requests that it got. */
function readerOf<Item>(pages: readonly (readonly Item[])[]): {
  readonly requests: PageRequest[];
  readonly read: (request?: PageRequest) => Promise<Page<Item>>;
} {
  const requests: PageRequest[] = [];
  return {
    requests,
    async read(request = {}) {
      requests.push(request);
      const index = Number(request.cursor ?? 0);
      const page = { items: pages[index] ?? [], corrupt: [] };
      return index + 1 < pages.length ? { ...page, next: `${index + 1}` } : page;
    },
  };
}

test('pages are read one after the other with the cursor of the one before and the limit', async () => {
  const { requests, read } = readerOf([[1, 2], [], [3]]);
  const seen: (readonly number[])[] = [];
  for await (const { items } of readPages(read, 2)) {
    assert.equal(requests.length, seen.length + 1);
    seen.push(items);
  }
  assert.deepEqual(seen, [[1, 2], [], [3]]);
  assert.deepEqual(requests, [{ limit: 2 }, { limit: 2, cursor: '1' }, { limit: 2, cursor: '2' }]);
});

test('a reader that stops reads no further page, and an error of the list reaches it', async () => {
  const { requests, read } = readerOf([[1], [2]]);
  for await (const { items } of readPages(read)) if (items.length > 0) break;
  assert.deepEqual(requests, [{}]);

  const failing = async (): Promise<Page<number>> => {
    throw new KernelError('E_STATE_UNAVAILABLE', 'the database is restarting', { retryable: true });
  };
  await assert.rejects(readAllPages(failing), { code: 'E_STATE_UNAVAILABLE' });
});

test('every row of every page is returned, none of an empty list', async () => {
  assert.deepEqual(await readAllPages(readerOf([[1, 2], [3], []]).read), [1, 2, 3]);
  assert.deepEqual(await readAllPages(readerOf([]).read), []);
});

test('processes that live are found on every page', async () => {
  const row = (id: string, isAlive: boolean): ProcessRecord => ({ id, isAlive }) as ProcessRecord;
  const { read } = readerOf([[row('a', false), row('b', true)], [row('c', true)]]);
  const living = await livingProcesses({ list: read });
  assert.deepEqual(
    living.map(({ id }) => id),
    ['b', 'c'],
  );
});
