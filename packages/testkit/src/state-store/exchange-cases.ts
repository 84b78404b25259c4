import assert from 'node:assert/strict';
import { isKernelError } from '@ravi/kernel';
import type { Exchange, ExchangeStore } from '@ravi/kernel';
import { midnight, newRun, whole } from './state-store-suite.ts';
import type { StateStoreSuite } from './state-store-suite.ts';

const tools = [{ name: 'mail', description: 'x'.repeat(1_000) }];

function exchange(runId: string, step: number, shared: Exchange['shared'] = { tools }): Exchange {
  return { runId, record: { step, answer: 'Zoë \u0000 漢字' }, shared };
}

async function listed(exchanges: ExchangeStore, runId: string): Promise<readonly Exchange[]> {
  return whole(await exchanges.list(runId)).map(({ cursor: _cursor, ...each }) => each);
}

/** Cases about the exchanges of runs with their models. */
export function exchangeCases({ needing }: StateStoreSuite): void {
  const scenario = needing('exchanges', 'retention');

  scenario('exchanges are returned in their order with what they share', async ({ exchanges }) => {
    const added = [1, 2, 3].map((step) => exchange('run-1', step, step === 2 ? {} : { tools, system: 'Be brief.' }));
    for (const each of added) await exchanges.append(each);
    await exchanges.append(exchange('run-2', 1));
    assert.deepEqual(await listed(exchanges, 'run-1'), added);
    assert.deepEqual(await listed(exchanges, 'run-2'), [exchange('run-2', 1)]);
    assert.deepEqual(await listed(exchanges, 'run-3'), []);
  });

  scenario(
    'the exchanges of a run are listed page by page, after the last one of a page or any other',
    async ({ exchanges }) => {
      const added = Array.from({ length: 7 }, (_, index) => exchange('run-1', index + 1));
      for (const each of added) {
        await exchanges.append(each);
        await exchanges.append(exchange('run-2', 1));
      }
      const pages: unknown[][] = [];
      let cursor: string | undefined;
      do {
        const page = await exchanges.list('run-1', { limit: 3, ...(cursor === undefined ? {} : { cursor }) });
        pages.push(page.items.map(({ record }) => record));
        cursor = page.next;
      } while (cursor !== undefined);
      assert.deepEqual(
        pages.map(({ length }) => length),
        [3, 3, 1],
      );
      assert.deepEqual(
        pages.flat(),
        added.map(({ record }) => record),
      );
      const [first] = (await exchanges.list('run-1')).items;
      const rest = await exchanges.list('run-1', { cursor: first?.cursor ?? '' });
      assert.equal(rest.items.length, 6);
      await assert.rejects(exchanges.list('run-1', { cursor: 'x' }), (error) =>
        isKernelError(error, 'E_STATE_INVALID'),
      );
    },
  );

  scenario('two writers of one run never refuse each other', async ({ exchanges }) => {
    const added = Array.from({ length: 20 }, (_, index) => exchange('run-1', (index % 10) + 1));
    await Promise.all(added.map((each) => exchanges.append(each)));
    assert.equal((await listed(exchanges, 'run-1')).length, added.length);
  });

  scenario('what removed runs shared with others stays', async ({ runs, exchanges, retention }) => {
    const own = exchange('run-1', 1, { system: 'Only of the first run.' });
    for (const runId of ['run-1', 'run-2']) await runs.create(newRun(runId));
    for (const each of [own, exchange('run-1', 2), exchange('run-2', 1)]) await exchanges.append(each);
    assert.ok(await runs.transition('run-1', { from: ['running'], to: 'completed', now: midnight }));
    assert.ok(await retention.removeRun('run-1'));
    assert.equal(await retention.removeOrphans(midnight), 0);
    assert.deepEqual(await listed(exchanges, 'run-1'), []);
    assert.deepEqual(await listed(exchanges, 'run-2'), [exchange('run-2', 1)]);
    // Removed content can be stored again.
    await exchanges.append({ ...own, runId: 'run-3' });
    assert.deepEqual(await listed(exchanges, 'run-3'), [{ ...own, runId: 'run-3' }]);
  });
}
