import assert from 'node:assert/strict';
import { isKernelError } from '@ravi/kernel';
import type { NewRun } from '@ravi/kernel';
import { midnight } from './state-store-suite.ts';
import type { StateStoreSuite } from './state-store-suite.ts';

const run: NewRun = {
  id: 'run_1',
  principal: 'ada',
  sessionId: 'session_1',
  definition: { kind: 'agent' },
  createdAt: midnight,
};

const inputOf = (id: string, runId: string = run.id) => ({ id, runId, text: `text of ${id}`, createdAt: midnight });

const codeOf = (error: unknown): string => (isKernelError(error) ? error.code : String(error));

/** Cases about inputs of live runs. */
export function runInputCases({ needing, options: { reopen } }: StateStoreSuite): void {
  const scenario = needing('inputs', 'retention');

  scenario('inputs of a live run are listed in their order, each once', async ({ runs, inputs }) => {
    await runs.create(run);
    await runs.create({ ...run, id: 'run_2' });
    const added = await inputs.add(inputOf('a'));
    await inputs.add(inputOf('a', 'run_2'));
    await inputs.add({ ...inputOf('b'), text: '漢字 \0 \u2028' });
    assert.deepEqual(await inputs.add({ ...inputOf('a'), text: 'another' }), added);
    const listed = await inputs.list(run.id);
    assert.deepEqual(
      listed.map(({ id, text }) => [id, text]),
      [
        ['a', 'text of a'],
        ['b', '漢字 \0 \u2028'],
      ],
    );
    assert.deepEqual(await inputs.list(run.id, added?.number), listed.slice(1));
    assert.deepEqual(await inputs.list('run_3'), []);
  });

  scenario('a paused run takes inputs, and a run that has ended or does not exist takes none', async (store) => {
    const { runs, inputs } = store;
    await runs.create(run);
    const change = { now: midnight } as const;
    await runs.transition(run.id, { ...change, from: ['running'], to: 'paused' });
    const added = await inputs.add(inputOf('a'));
    assert.equal(added?.id, 'a');
    await runs.transition(run.id, { ...change, from: ['paused'], to: 'cancelled' });
    assert.equal(await inputs.add(inputOf('b')), undefined);
    // A repeated request finds what the first one stored.
    assert.deepEqual(await inputs.add(inputOf('a')), added);
    assert.equal(await inputs.add(inputOf('a', 'run_2')), undefined);
    assert.equal((await inputs.list(run.id)).length, 1);
  });

  scenario('a run ends only after it has read every input, if the change asks for that', async ({ runs, inputs }) => {
    await runs.create(run);
    const first = await inputs.add(inputOf('a'));
    const second = await inputs.add(inputOf('b'));
    const end = { from: ['running'], to: 'completed', now: midnight } as const;
    assert.equal(await runs.transition(run.id, { ...end, inputsRead: 0 }), false);
    assert.equal(await runs.transition(run.id, { ...end, inputsRead: first?.number ?? 0 }), false);
    assert.equal((await runs.get(run.id))?.status, 'running');
    assert.equal(await runs.transition(run.id, { ...end, inputsRead: second?.number ?? 0 }), true);
  });

  scenario('of an input and the end of its run exactly one comes first', async ({ runs, inputs }) => {
    for (let round = 0; round < 20; round++) {
      const id = `race_${round}`;
      await runs.create({ ...run, id });
      const end = { from: ['running'], to: 'completed', now: midnight, inputsRead: 0 } as const;
      const [added, hasEnded] = await Promise.all([inputs.add(inputOf('a', id)), runs.transition(id, end)]);
      assert.equal(added === undefined, hasEnded, `round ${round}`);
    }
  });

  scenario(
    'no more inputs wait than the limit, also when they come at once, and one that is known is returned',
    async (store) => {
      const { runs, inputs } = store;
      await runs.create(run);
      const add = (id: string, read = 0) =>
        inputs.add(inputOf(id), { read, maxWaiting: 3 }).then((added) => added?.id, codeOf);
      const added = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((id) => add(id)));
      assert.deepEqual(added.filter((each) => each === 'E_BUSY').length, 2, added.join(' '));
      const [first, second] = await inputs.list(run.id);
      assert.equal(await add(first?.id ?? ''), first?.id);
      assert.equal(await add('late', first?.number), 'late');
      assert.equal(await add('later', first?.number), 'E_BUSY');
      assert.equal(await add('later', second?.number), 'later');
      assert.equal((await inputs.list(run.id)).length, 5);
    },
  );

  scenario('inputs are removed together with their run', async ({ runs, inputs, retention }) => {
    await runs.create(run);
    await inputs.add(inputOf('a'));
    await runs.transition(run.id, { from: ['running'], to: 'completed', now: midnight });
    await retention.removeRun(run.id);
    assert.deepEqual(await inputs.list(run.id), []);
  });

  if (reopen === undefined) return;
  scenario('inputs outlive their process', async (store) => {
    await store.runs.create(run);
    const added = await store.inputs.add(inputOf('a'));
    await store[Symbol.asyncDispose]();
    await using again = await reopen(store);
    assert.deepEqual(await again.inputs?.list(run.id), [added]);
  });
}
