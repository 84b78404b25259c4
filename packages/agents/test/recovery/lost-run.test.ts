import assert from 'node:assert/strict';
import { defineTool, isKernelError, KernelError } from '@ravi/kernel';
import type { HistoryStore, ModelMessage, Tool } from '@ravi/kernel';
import { createFakeClock, createScriptedModel, pairingProblems } from '@ravi/testkit';
import { test } from 'vitest';
import { createWorld, deadAfterMs, start, where } from '../support/recovery-world.ts';

/** A safe tool whose calls wait until the test releases them. */
function createSlowTool(): { readonly tool: Tool; readonly calls: readonly (() => void)[] } {
  const calls: (() => void)[] = [];
  const tool = defineTool({
    name: 'slow',
    description: 'Waits',
    risk: 'safe',
    inputSchema: { type: 'object' },
    async execute() {
      const { promise, resolve } = Promise.withResolvers<void>();
      const number = calls.push(resolve);
      await promise;
      return `call ${number}`;
    },
  });
  return { tool, calls };
}

const settle = (): Promise<void> => new Promise(setImmediate);
const callSlow = { toolCalls: [{ name: 'slow' }] };

/** A run whose process is blocked in a call while another process continues the run. */
async function takeOver(world = createWorld()) {
  const { tool, calls } = createSlowTool();
  const fake = createFakeClock(start);
  let stalledMs = 0;
  const clock = { ...fake, now: () => fake.now() + stalledMs };
  const cancelling = new AbortController();
  const model = createScriptedModel([callSlow, { text: 'done by the first' }]);
  const first = world.process(model, { tools: [tool], clock }).run('go', { ...where, signal: cancelling.signal });
  while (calls.length < 1) await settle();
  const second = world
    .process(createScriptedModel([{ text: 'done' }]), { tools: [tool] })
    .recover(world.row(), world.recovery).result;
  while (calls.length < 2) await settle();
  const wake = (): void => void (stalledMs = deadAfterMs + 1);
  return { world, calls, first, second, clock: fake, cancelling, wake };
}

async function assertGoesOn({ world, calls, second }: Awaited<ReturnType<typeof takeOver>>): Promise<void> {
  calls[1]?.();
  const result = await second;
  assert.deepEqual([result.status, result.text], ['completed', 'done']);
  assert.equal(world.row().status, 'completed');
  const stored = world.history.entries.map(({ message }): ModelMessage => message);
  assert.deepEqual(pairingProblems(stored), []);
  assert.deepEqual(
    stored.map(({ role }) => role),
    ['user', 'assistant', 'user', 'assistant'],
  );
  assert.match(JSON.stringify(stored[2]), /call 2/);
}

test('a process that has lost its lease writes no results, and the new holder continues', async () => {
  const taken = await takeOver();
  taken.clock.advance(deadAfterMs);
  const { status, error } = await taken.first;
  assert.deepEqual([status, error?.code], ['cancelled', 'E_RUN_SUSPENDED']);
  await assertGoesOn(taken);
});

test('a process that was blocked confirms its lease before it writes, even if its timers have not fired', async () => {
  const taken = await takeOver();
  taken.wake();
  taken.calls[0]?.();
  const { status, error } = await taken.first;
  assert.deepEqual([status, error?.code], ['cancelled', 'E_RUN_SUSPENDED']);
  await assertGoesOn(taken);
});

test('a run that was cancelled while its lease was lost is not recorded as ended either', async () => {
  const taken = await takeOver();
  taken.wake();
  taken.cancelling.abort('The user left');
  assert.equal((await taken.first).error?.code, 'E_RUN_SUSPENDED');
  await assertGoesOn(taken);
});

test('a process that was blocked continues if no other process has claimed the run', async () => {
  const world = createWorld();
  const { tool, calls } = createSlowTool();
  const fake = createFakeClock(start);
  let stalledMs = 0;
  const clock = { ...fake, now: () => fake.now() + stalledMs };
  const model = createScriptedModel([callSlow, { text: 'done' }]);
  const running = world.process(model, { tools: [tool], clock }).run('go', where);
  while (calls.length < 1) await settle();
  stalledMs = deadAfterMs + 1;
  calls[0]?.();
  assert.equal((await running).text, 'done');
  assert.equal(world.row().status, 'completed');
});

test('a process that recovers a run and finds new writes of the previous one leaves it to the next', async () => {
  const taken = await takeOver();
  const { world, calls } = taken;
  const block = { type: 'tool_result', toolUseId: 'call-1-1', content: [], isError: false } as const;
  const late = { ...where, createdAt: start, message: { role: 'user', content: [block] } } as const;
  await world.history.append([late], 2);
  calls[1]?.();
  const result = await taken.second;
  assert.deepEqual([result.status, result.error?.code], ['cancelled', 'E_RUN_SUSPENDED']);
  assert.deepEqual([world.row().status, world.row().owner], ['running', undefined]);
  const third = world.process(createScriptedModel([{ text: 'done' }]));
  const last = await third.recover(world.row(), world.recovery).result;
  assert.deepEqual([last.status, last.text], ['completed', 'done']);
});

test('a run whose history cannot be read at this moment is released, as one whose process did not crash', async () => {
  const world = createWorld();
  const { tool, calls } = createSlowTool();
  void world.process(createScriptedModel([callSlow]), { tools: [tool] }).run('go', where);
  while (calls.length < 1) await settle();
  const history: HistoryStore = {
    ...world.history,
    async read() {
      throw new KernelError('E_STATE_UNAVAILABLE', 'The store is gone', { retryable: true });
    },
  };
  const second = world.process(createScriptedModel([]), { tools: [tool], history });
  const recovering = second.recover(world.row(), world.recovery).result;
  await assert.rejects(recovering, (error) => isKernelError(error, 'E_STATE_UNAVAILABLE'));
  const { status, owner, epoch } = world.row();
  assert.deepEqual([status, owner, epoch], ['running', undefined, 2]);
});

test('an answer to a run that another process has resumed and released leaves the run free for the next process', async () => {
  const world = createWorld();
  const ask = { toolCalls: [{ name: 'ask_user', arguments: { question: 'Which?' } }] };
  assert.equal((await world.process(createScriptedModel([ask])).run('go', where)).status, 'paused');
  const epoch = (await world.runs.claim(where.runId, { owner: 'leaving' }))?.epoch ?? 0;
  await world.runs.transition(where.runId, { from: ['paused'], to: 'running', now: start, owner: 'leaving', epoch });
  await world.runs.release(where.runId, 'leaving', epoch);
  const late = await world.process(createScriptedModel([])).resume(where, 'The blue one');
  assert.equal(late.error?.code, 'E_STATE_CONFLICT');
  assert.deepEqual([world.row().status, world.row().owner, world.row().epoch], ['running', undefined, epoch]);
});
