import assert from 'node:assert/strict';
import type { Exchange, NewHistoryEntry, RunStore } from '@ravi/kernel';
import { allPages, midnight, newRun, whole } from './state-store-suite.ts';
import type { StateStoreSuite } from './state-store-suite.ts';

/** Cases about the packing of ended runs. */
export function packingCases({ needing }: StateStoreSuite): void {
  needing(
    'retention',
    'journal',
    'events',
  )('what is read of a run is the same after it was packed', async (store) => {
    const { runs, journal, events, retention } = store;
    const [owner, other] = ['process-1', 'process-2'];
    await runs.create(newRun('run-1'), { owner });
    await runs.create(newRun('live'), { owner: other });
    for (const [runId, holder, count] of [
      ['run-1', owner, 1_100],
      ['live', other, 3],
    ] as const) {
      const numbers = Array.from({ length: count }, (_, index) => index + 1);
      const value = { text: 'Zoë \u0000 漢字' };
      await Promise.all(numbers.map((position) => journal.observed({ runId, position, kind: 'now', value })));
      const data = numbers.map((n) => ({
        n,
        at: midnight,
        type: 'console',
        data: { level: 'log', text: `line ${n}` },
      }));
      await events.append(runId, { owner: holder, epoch: 1 }, data);
    }
    const readAll = async (runId: string): Promise<readonly unknown[]> => [
      whole(await journal.entries(runId)),
      whole(await events.list(runId, { limit: 1_000 })),
      whole(await events.list(runId, { after: { epoch: 1, n: 990 }, limit: 20 })),
      whole(await events.list(runId, { after: { epoch: 1, n: 1_099 } })),
    ];
    const before = [await readAll('run-1'), await readAll('live')];
    assert.equal(await retention.packNext(midnight + 10), false, 'a live run is not packed');
    assert.ok(await runs.transition('run-1', { from: ['running'], to: 'completed', now: midnight, owner }));
    assert.equal(await retention.packNext(midnight), false, 'it ended later');
    await Promise.all([retention.packNext(midnight + 1), retention.packNext(midnight + 1)]);
    assert.equal(await retention.packNext(midnight + 1), false);
    assert.deepEqual([await readAll('run-1'), await readAll('live')], before);
    assert.ok(await retention.removeRun('run-1'));
    assert.deepEqual((await readAll('run-1')).flat(), []);
  });

  needing('retention', 'history')(
    'a conversation is the same after its runs were packed, and continues',
    async (store) => {
      const { runs, history, retention } = store;
      const entry = (text: string, overrides: Partial<NewHistoryEntry> = {}): NewHistoryEntry => ({
        principal: 'ada',
        sessionId: 'session-1',
        message: { role: 'user', content: [{ type: 'text', text: `${text} \u0000 漢字` }] },
        createdAt: midnight,
        ...overrides,
      });
      await runs.create(newRun('helper', { parentRunId: 'run-1' }));
      await end(runs, 'helper');
      for (const principal of ['ada', 'bob']) {
        await history.append(Array.from({ length: 40 }, (_, index) => entry(String(index), { principal })));
      }
      await history.append(Array.from({ length: 40 }, () => entry('help', { sessionId: 'helper' })));
      const readAll = async (): Promise<readonly unknown[]> => [
        await allPages((page) => history.read('ada', 'session-1', page), 7),
        whole(await history.read('ada', 'session-1', { cursor: '39' })),
        whole(await history.read('bob', 'session-1')),
        whole(await history.read('ada', 'helper')),
      ];
      for (let round = 1; round <= 3; round++) {
        await runs.create(newRun(`run-${round}`));
        await end(runs, `run-${round}`);
        const before = await readAll();
        while (await retention.packNext(midnight + 1));
        assert.deepEqual(await readAll(), before);
        const added = Array.from({ length: 9 }, (_, index) => entry(`${round} ${index}`));
        const numbers = (await history.append(added, 40 + 9 * (round - 1))).map(({ number }) => number);
        assert.deepEqual([numbers[0], numbers.at(-1)], [9 * round + 32, 9 * round + 40]);
      }
      assert.ok(await retention.removeRun('helper'));
      assert.deepEqual(whole(await history.read('ada', 'helper')), []);
      assert.equal(whole(await history.read('ada', 'session-1')).length, 67);
      assert.equal(whole(await history.read('bob', 'session-1')).length, 40);
    },
  );

  needing('retention', 'exchanges')('exchanges of packed runs keep what they share', async (store) => {
    const { runs, exchanges, retention } = store;
    const system = { system: 'Only of the first run.' };
    const tools = { tools: [{ name: 'mail' }] };
    const add = (runId: string, step: number, shared: Exchange['shared']): Promise<void> =>
      exchanges.append({ runId, record: { step, answer: 'Zoë \u0000 漢字' }, shared });
    const readAll = async (runId: string): Promise<readonly unknown[]> => [
      await allPages((page) => exchanges.list(runId, page), 7),
      whole(await exchanges.list(runId)),
    ];
    for (const runId of ['run-1', 'run-2', 'run-3']) await runs.create(newRun(runId));
    await add('run-3', 1, tools);
    await add('run-1', 1, system);
    for (let step = 2; step <= 20; step++) for (const runId of ['run-2', 'run-1']) await add(runId, step, tools);
    const before = [await readAll('run-1'), await readAll('run-2'), await readAll('run-3')];
    for (const runId of ['run-1', 'run-3']) await end(runs, runId);
    while (await retention.packNext(midnight + 1));
    assert.deepEqual([await readAll('run-1'), await readAll('run-2'), await readAll('run-3')], before);
    // The oldest exchanges go, then all loose ones.
    for (const runId of ['run-3', 'run-2']) {
      await end(runs, runId);
      assert.ok(await retention.removeRun(runId));
      await retention.removeOrphans(midnight);
      assert.deepEqual(await readAll('run-1'), before[0]);
    }
    await add('run-1', 21, system);
    assert.equal(whole(await exchanges.list('run-1')).length, 21);
    assert.ok(await retention.removeRun('run-1'));
    assert.deepEqual(await readAll('run-1'), [[], []]);
  });
}

async function end(runs: RunStore, id: string): Promise<void> {
  const { status } = (await runs.get(id)) ?? {};
  if (status === 'completed') return;
  assert.ok(await runs.transition(id, { from: ['running'], to: 'completed', now: midnight }));
}
