import assert from 'node:assert/strict';
import { isKernelError } from '@ravi/kernel';
import { afterAll, test } from 'vitest';
import { createWorld, sandbox, valueTool } from './harness.ts';

afterAll(() => sandbox[Symbol.asyncDispose]());

const unasked = { maxRiskUnapproved: 'high' } as const;

test('a run that is cut off goes on in another process: what has happened is not done again, and the result is the same', async () => {
  await using world = await createWorld();
  const held = Promise.withResolvers<void>();
  const code = `
    const begun = [Date.now(), Math.random()];
    await tools.send({ to: 'a' });
    await sleep(5);
    const [first, second] = await Promise.all([tools.put({ key: 1 }), tools.count({})]);
    await tools.hold({});
    await tools.send({ to: 'b' });
    return { begun, first, second, now: Date.now(), random: Math.random() };
  `;
  const first = world.open({
    policy: unasked,
    tools: [
      valueTool('hold', () => {
        held.resolve();
        return new Promise(() => {});
      }),
    ],
  });
  const cut = first.chains.start({ code, runId: 'run-1' });
  await held.promise;
  await first[Symbol.asyncDispose]();
  await assert.rejects(cut, (error) => isKernelError(error, 'E_RUN_SUSPENDED'));
  assert.deepEqual(world.effects.toSorted(), ['count {}', 'put {"key":1}', 'send {"to":"a"}']);

  await using second = world.open({ policy: unasked, tools: [valueTool('hold', () => 'on')] });
  const result = await second.chains.resume('run-1');
  assert.equal(result.status, 'ok', result.outputText);
  assert.deepEqual(world.effects.slice(3), ['send {"to":"b"}']);
  assert.deepEqual(
    result.callTrace.map(({ tool, status }) => `${tool} ${status}`),
    ['send ok', 'put ok', 'count ok', 'hold ok', 'send ok'],
  );
  const run = await world.store.runs.get('run-1');
  assert.equal(run?.status, 'completed');
  assert.deepEqual(await second.chains.resume('run-1'), JSON.parse(JSON.stringify(result)));
});
