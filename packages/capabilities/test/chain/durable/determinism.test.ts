import assert from 'node:assert/strict';
import { createSeededRandom } from '@ravi/testkit';
import { afterAll, test } from 'vitest';
import { createWorld, sandbox, valueTool } from './harness.ts';
import { seenTwice, unasked } from './seen-twice.ts';

afterAll(() => sandbox[Symbol.asyncDispose]());

test('time and random numbers are the same in a replay, however they are read', async () => {
  await using world = await createWorld();
  const [before, after] = await seenTwice(
    world,
    `
    const read = () => [
      Date.now(), new Date().getTime(), Date(), new Date(2020, 1, 1).getTime(), new (new Date().constructor)().toISOString(),
      Math.random(), Math.random(), new Date() instanceof Date, typeof WeakRef,
    ];
    const seen = [read()];
    await tools.echo({ value: 1 });
    seen.push(read());
    await sleep(3);
    seen.push(read());
    await tools.tell({ value: seen });
  `,
  );
  assert.deepEqual(after, before);
  const seen = before as readonly (readonly [number, number])[];
  assert.ok(seen[2]![0] >= seen[1]![0] + 3, 'time passes with what is awaited');
});

test('calls and timers end in the same order in the replay', async () => {
  const random = createSeededRandom(5);
  for (let round = 0; round < 4; round++) {
    await using world = await createWorld();
    const [before, after] = await seenTwice(
      world,
      `
      const order = [];
      const step = async (name, work) => {
        const value = await work();
        order.push(name);
        await null; await null;
        order.push(name + ' ' + await tools.echo({ value: order.length }));
        return value;
      };
      const raced = await Promise.race([1, 2, 3].map((value) => step('race ' + value, () => tools.echo({ value }))));
      order.push('raced ' + raced);
      let ticks = 0;
      const interval = setInterval(() => order.push('tick ' + ++ticks), 1);
      const cleared = setTimeout(() => order.push('never'), 2);
      await Promise.all([
        ...Array.from({ length: 8 }, (_, value) => step('all ' + value, () => tools.echo({ value: value * 10 }))),
        step('sleep', () => sleep(2)),
        step('timer', () => new Promise((resolve) => setTimeout(resolve, 1, 'in time'))),
        step('late', () => sleep(4)),
      ]);
      clearInterval(interval);
      clearTimeout(cleared);
      order.push(Date.now(), Math.random());
      await tools.tell({ value: order });
    `,
      { delays: () => random.below(7) },
    );
    assert.deepEqual(after, before);
  }
});

test('a script with more calls than may be in flight makes the same requests again', async () => {
  await using world = await createWorld();
  const [before, after] = await seenTwice(
    world,
    `
    const order = [];
    await Promise.all(Array.from({ length: 45 }, async (_, value) => order.push(await tools.echo({ value }))));
    await tools.tell({ value: order });
  `,
  );
  assert.deepEqual(after, before);
});

test('artifacts are read again, and the tools that were found stay the same', async () => {
  await using world = await createWorld();
  const [before, after] = await seenTwice(
    world,
    `
    const value = await tools.echo({ value: 'x'.repeat(1_500_000) });
    const pieces = await Promise.all([value.slice(1, 3), tools.echo({ value: 'y' }), value.slice(0, 2)]);
    const missing = await file('/workspace/media/none.png').catch((error) => error.code);
    await tools.tell({ value: [value.size, pieces, missing, await tools.search('echo')] });
  `,
  );
  assert.deepEqual(after, before);
});

test('a script that waits for nothing is reported at once', async () => {
  await using world = await createWorld();
  await using process = world.open();
  const result = await process.chains.start({ code: 'await tools.count({}); await new Promise(() => {})' });
  assert.equal(result.error?.code, 'E_SCRIPT_DEADLOCK');
});

test('an error that a timer throws ends the script', async () => {
  await using world = await createWorld();
  await using process = world.open();
  const result = await process.chains.start({
    code: "setTimeout(() => { throw new Error('late') }, 1); await sleep(500)",
  });
  assert.match(result.error?.message ?? '', /late/);
});

test('an error of a call has its line', async () => {
  await using world = await createWorld();
  await using process = world.open({
    tools: [
      valueTool('fail', () => {
        throw new Error('broken');
      }),
    ],
  });
  const result = await process.chains.start({ code: 'const a = 1;\nawait tools.fail({});\n' });
  assert.deepEqual([result.error?.line, result.error?.code], [2, 'E_TOOL_FAILED']);
});

test('no other global depends on those that a replayable script lacks', async () => {
  await using world = await createWorld();
  const { chains } = world.open({ policy: unasked, tools: [] });
  const code = 'return [structuredClone({ list: [1, { a: 2 }] }), typeof WeakRef]';
  const result = await chains.start({ code, runId: 'run-1' });
  assert.deepEqual(result.value, [{ list: [1, { a: 2 }] }, 'undefined']);
});
