import assert from 'node:assert/strict';
import type { PausedRun, Run, RunBlock, RunTransition } from '@ravi/kernel';
import { midnight, newRun, rejectsWith, whole } from './state-store-suite.ts';
import type { StateStoreSuite } from './state-store-suite.ts';

const block: RunBlock = {
  message: 'The tool mail is missing',
  needs: [
    { kind: 'tool', name: 'mail', state: 'missing' },
    { kind: 'script', state: 'changed' },
  ],
};
const holder = { owner: 'one' };

function change(from: RunTransition['from'], to: RunTransition['to']): RunTransition {
  return { from, to, now: midnight + 1, ...(to === 'blocked' ? { block } : {}) };
}

/** Cases about runs that wait for a process that has what they need. */
export function blockedRunCases({ needing, options: { reopen } }: StateStoreSuite): void {
  const scenario = needing();

  scenario(
    'a run that becomes blocked says why and has no owner, and can become every other status',
    async ({ runs }) => {
      for (const to of ['running', 'paused', 'completed', 'failed', 'cancelled'] as const) {
        await runs.create(newRun(to), holder);
        assert.equal(await runs.transition(to, change(['running'], 'blocked')), true);
        const blocked: Run | undefined = await runs.get(to);
        assert.deepEqual([blocked?.status, blocked?.block, blocked?.owner], ['blocked', block, undefined]);
        assert.equal(await runs.transition(to, change(['running', 'paused'], to)), false);
        assert.equal(await runs.transition(to, change(['blocked'], to)), true);
        const changed = await runs.get(to);
        assert.deepEqual([changed?.status, changed?.block], [to, undefined]);
      }
    },
  );

  scenario('a blocked run can be claimed, and stays blocked until it changes', async ({ runs }) => {
    await runs.create(newRun('run-1'), holder);
    await runs.transition('run-1', change(['running'], 'blocked'));
    const claimed = await runs.claim('run-1', { owner: 'two' });
    assert.deepEqual([claimed?.status, claimed?.epoch, claimed?.owner], ['blocked', 2, 'two']);
    assert.equal(await runs.transition('run-1', { ...change(['blocked'], 'running'), owner: 'two', epoch: 2 }), true);
    assert.equal(await runs.transition('run-1', change(['running'], 'paused')), true);
    assert.equal((await runs.get('run-1'))?.block, undefined);
  });

  scenario('blocked runs are found by their status, and count as paused ones', async ({ runs }) => {
    for (const id of ['one', 'two', 'three']) await runs.create(newRun(id));
    await runs.transition('one', change(['running'], 'blocked'));
    await runs.transition('two', change(['running'], 'paused'));
    const idsOf = async (status: Run['status']): Promise<readonly string[]> =>
      whole(await runs.list({ status })).map(({ id }) => id);
    assert.deepEqual(await idsOf('blocked'), ['one']);
    assert.deepEqual(await idsOf('paused'), ['two']);
    assert.deepEqual(await idsOf('running'), ['three']);
    const listed = whole<PausedRun>(await runs.listPaused()).map(({ id, isBlocked }) => [id, isBlocked]);
    assert.deepEqual(listed, [
      ['two', false],
      ['one', true],
    ]);
    assert.equal(await runs.countPaused('ada', 9), 2);
    const { next } = await runs.list({ status: 'blocked' }, { limit: 1 });
    assert.equal(next, undefined);
  });

  scenario('a run is blocked only with its reasons, and no other status has them', async ({ runs }) => {
    await runs.create(newRun('run-1'));
    const bare: RunTransition = { from: ['running'], to: 'blocked', now: midnight };
    await rejectsWith('E_STATE_INVALID', runs.transition('run-1', bare));
    await rejectsWith('E_STATE_INVALID', runs.transition('run-1', { ...bare, to: 'paused', block }));
    assert.equal((await runs.get('run-1'))?.status, 'running');
  });

  if (reopen === undefined) return;
  scenario('a run stays blocked when the store is opened again', async (store) => {
    await store.runs.create(newRun('run-1'));
    await store.runs.transition('run-1', change(['running'], 'blocked'));
    await store[Symbol.asyncDispose]();
    await using opened = await reopen(store);
    assert.deepEqual((await opened.runs.get('run-1'))?.block, block);
  });
}
