import assert from 'node:assert/strict';
import { isKernelError } from '@ravi/kernel';
import type { JournalItem, Sandbox } from '@ravi/kernel';
import { createDockerSandbox } from '@ravi/sandbox-docker';
import { createVmSandbox } from '@ravi/sandbox-vm';
import { createFakeClock } from '@ravi/testkit';
import { afterAll, test } from 'vitest';
import { createWorld, forgetProcesses, sandbox as isolatedVm, valueTool } from './harness.ts';
import { seenTwice } from './seen-twice.ts';

const docker = createDockerSandbox({
  languages: ['javascript'],
  images: { javascript: 'ravi-sandbox-node:test' },
  poolSize: 1,
});
const sandboxes: readonly Sandbox[] = [isolatedVm, createVmSandbox({ unsafe: true }), docker];
afterAll(async () => {
  for (const sandbox of sandboxes) await sandbox[Symbol.asyncDispose]();
});

const unasked = { maxRiskUnapproved: 'high', maxArgumentBytes: 1_000_000, maxInFlight: 16 } as const;
const largeTurn = `
  const texts = Array.from({ length: 8 }, (_, index) => String(index).repeat(900_000));
  const lengths = await Promise.all(texts.map(async (text) => (await tools.measure({ text })).length));
  return [...lengths, (await tools.measure({ text: 'end' })).length];
`;

/** Returns why a sandbox cannot run scripts here. */
async function obstacleOf(sandbox: Sandbox): Promise<string | undefined> {
  try {
    await using world = await createWorld();
    await using process = world.open({ sandbox });
    await process.chains.start({ code: 'return 1' });
    return undefined;
  } catch (error) {
    if (isKernelError(error, 'E_SANDBOX_UNAVAILABLE')) return error.message;
    throw error;
  }
}

for (const sandbox of sandboxes) {
  test(`a turn larger than one frame is replayed as one turn in the ${sandbox.name} sandbox`, async (context) => {
    const obstacle = await obstacleOf(sandbox);
    if (obstacle !== undefined) return context.skip(obstacle);
    for (const finishedBefore of [0, 7]) {
      await using world = await createWorld();
      const cut = Promise.withResolvers<void>();
      let started = 0;
      const first = world.open({
        sandbox,
        policy: unasked,
        tools: [
          valueTool(
            'measure',
            ({ text }: { readonly text: string }) => {
              started++;
              if (started === 8) setTimeout(cut.resolve, 50);
              return started > 8 - finishedBefore ? { length: text.length } : new Promise(() => {});
            },
            { idempotent: true, risk: 'high' },
          ),
        ],
      });
      const running = first.chains.start({ code: largeTurn, runId: 'run-1', policy: unasked });
      running.catch(() => {});
      await cut.promise;
      await first[Symbol.asyncDispose]();
      await assert.rejects(running);
      await forgetProcesses(world);
      let repeated = 0;
      await using second = world.open({
        sandbox,
        policy: unasked,
        tools: [
          valueTool(
            'measure',
            ({ text }: { readonly text: string }) => {
              repeated++;
              return { length: text.length };
            },
            { idempotent: true, risk: 'high' },
          ),
        ],
      });
      const result = await second.chains.resume('run-1');
      assert.deepEqual([result.status, result.value], ['ok', [...Array(8).fill(900_000), 3]], result.outputText);
      assert.equal(repeated, 9 - finishedBefore);
    }
  });
}

for (const sandbox of sandboxes) {
  test(`a call that the script did not await has an end when its run has one, in the ${sandbox.name} sandbox`, async (context) => {
    const obstacle = await obstacleOf(sandbox);
    if (obstacle !== undefined) return context.skip(obstacle);
    await using world = await createWorld();
    const tools = [valueTool('hang', () => new Promise(() => {}), { risk: 'high' })];
    await using process = world.open({ sandbox, policy: unasked, tools });
    const ends = {
      returns: "tools.hang({ how: 'unawaited' }); await tools.send({ to: 'a' }); return 'done'",
      fails: "tools.hang({ how: 'unawaited' }); await tools.send({ to: 'b' }); throw new Error('failed')",
    };
    for (const [runId, code] of Object.entries(ends)) {
      const result = await process.chains.start({ code, runId });
      assert.equal(result.status, runId === 'returns' ? 'ok' : 'error', result.outputText);
      const { items } = await world.store.journal.entries(runId);
      const calls = items.flatMap((item) => (item.type === 'call' ? [item] : []));
      assert.deepEqual(
        calls.map(({ status, entry: { record } }) => [record.tool, status, record.status]),
        [
          ['hang', 'finished', 'cancelled'],
          ['send', 'finished', 'ok'],
        ],
      );
      assert.equal(calls[0]?.result?.error?.code, 'E_CANCELLED');
    }
  });
}

// The last seven timers and the first one are as many as may wait at once: a wake too many changes the next request.
const replacedWake = `
  const set = (delayMs) => setTimeout(() => {}, delayMs);
  set(60_000);
  await tools.echo({ value: 1 });
  await sleep(1);
  for (let timers = 7; timers > 0; timers--) set(50_000 + timers);
  await tools.echo({ value: 2 });
  await tools.tell({ value: Date.now() });
`;

for (const sandbox of sandboxes) {
  test(`a wake that an earlier one replaced ends at the same place in the replay, in the ${sandbox.name} sandbox`, async (context) => {
    const obstacle = await obstacleOf(sandbox);
    if (obstacle !== undefined) return context.skip(obstacle);
    await using world = await createWorld();
    const [before, after] = await seenTwice(world, replacedWake, { sandbox });
    assert.equal(after, before);
  });
}

test('a script receives no reply while the end of a wake is recorded', async () => {
  await using world = await createWorld();
  const clock = createFakeClock();
  const { journal } = world.store;
  const slept = Promise.withResolvers<void>();
  const written = Promise.withResolvers<void>();
  const order: string[] = [];
  const slow: typeof journal = {
    ...journal,
    async observed(event) {
      if (event.kind !== 'sleep') return journal.observed(event);
      slept.resolve();
      await written.promise;
      order.push('sleep');
      await journal.observed(event);
    },
    async finished(entry, result) {
      await slept.promise;
      await journal.finished(entry, result);
      // Long enough for the script to make its next call, if it had the reply.
      setTimeout(written.resolve, 100);
    },
  };
  await using process = world.open({
    clock,
    store: { ...world.store, journal: slow },
    policy: unasked,
    tools: [valueTool('echo', () => clock.advance(20)), valueTool('note', () => void order.push('note'))],
  });
  const code = 'setTimeout(() => {}, 20); await tools.echo({}); await tools.note({})';
  const result = await process.chains.start({ code });
  assert.equal(result.status, 'ok', result.outputText);
  assert.deepEqual(order, ['sleep', 'note']);
});

test('calls of a process that was killed have an end when the run fails before it makes them again', async () => {
  await using world = await createWorld();
  const hanging = valueTool('hang', () => new Promise(() => {}), { risk: 'high' });
  const first = world.open({ policy: unasked, tools: [hanging] });
  const cut = first.chains.start({ code: 'await tools.hang({})', runId: 'run-1' });
  cut.catch(() => {});
  while ((await world.store.journal.entries('run-1')).items.every(({ type }) => type !== 'call')) {
    await new Promise(setImmediate);
  }
  await first[Symbol.asyncDispose]();
  const { items } = await world.store.journal.entries('run-1');
  const divergent = {
    ...world.store.journal,
    entries: async () => ({ items: items.map(withOtherRequest), corrupt: [] }),
  };
  await using second = world.open({ policy: unasked, tools: [hanging], store: { ...world.store, journal: divergent } });
  assert.equal((await second.chains.resume('run-1')).error?.code, 'E_RUN_DIVERGED');
  const [call] = (await world.store.journal.entries('run-1')).items.filter(({ type }) => type === 'call');
  assert.deepEqual(call?.type === 'call' && [call.status, call.entry.record.status], ['finished', 'unknown']);
});

test('a sandbox that does not mark turns is refused before a run is stored', async () => {
  await using world = await createWorld();
  const sandbox = { ...isolatedVm, supports: { ...isolatedVm.supports, marksTurns: [] } };
  await using process = world.open({ sandbox });
  const started = process.chains.start({ code: 'return 1', runId: 'run-1' });
  await assert.rejects(started, (error) => isKernelError(error, 'E_UNSUPPORTED'));
  assert.equal(await world.store.runs.get('run-1'), undefined);
});

// As if the script requested another call than before.
function withOtherRequest(item: JournalItem): JournalItem {
  return item.type === 'call' ? { ...item, entry: { ...item.entry, requestDigest: 'other' } } : item;
}
