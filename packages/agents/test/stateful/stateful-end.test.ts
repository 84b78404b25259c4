import assert from 'node:assert/strict';
import { sessionOf } from '@ravi/invoker';
import { KernelError } from '@ravi/kernel';
import type { JsonValue, Tool, ToolContext } from '@ravi/kernel';
import { settle } from '@ravi/testkit';
import { test } from 'vitest';
import { defineStatefulTool } from '../../src/index.ts';
import { createHarness } from '../support/harness.ts';
import type { Harness } from '../support/harness.ts';

/** A stateful tool whose second part ends when the test says so, or on abort if it `heeds` its signal. */
function createWork({ heeds = true }: { readonly heeds?: boolean } = {}): {
  readonly tools: readonly Tool[];
  readonly log: string[];
  readonly finish: () => void;
} {
  const { promise, resolve } = Promise.withResolvers<void>();
  const log: string[] = [];
  const tools = defineStatefulTool({
    name: 'work',
    description: 'Works in parts.',
    inputSchema: { type: 'object' },
    async *execute(_, { signal }) {
      try {
        yield 'one';
        log.push('part two');
        if (heeds) signal.addEventListener('abort', () => resolve());
        await promise;
        log.push(signal.aborted ? 'aborted' : 'worked');
        yield 'two';
        log.push('part three');
        return null;
      } finally {
        log.push('cleaned up');
      }
    },
  });
  return { tools, log, finish: resolve };
}

async function begin({ call }: Pick<Harness, 'call'>, name = 'work'): Promise<string> {
  const { structured } = await call(name);
  return (structured as { readonly id: string }).id;
}

/** {@link createWork} with an invoker, after its first part. */
async function startWork(options?: Parameters<typeof createWork>[0]) {
  const { tools, ...work } = createWork(options);
  const harness = createHarness(tools);
  return { ...work, harness, id: await begin(harness) };
}

async function assertGone({ call }: Pick<Harness, 'call'>, id: string): Promise<void> {
  assert.equal((await call('work_continue', { id })).error?.code, 'E_ARGUMENTS_INVALID');
}

test('cancelling the run aborts the signal of a part, and the generator is cleaned up', async () => {
  const { harness, id, log } = await startWork();
  const working = harness.call('work_continue', { id });
  await settle();
  harness.session.cancel('enough');
  await assert.rejects(working, { code: 'E_CANCELLED' });
  await settle();
  assert.deepEqual(log, ['part two', 'aborted', 'cleaned up']);
});

test('a working part that ignores its signal is returned after it ends when the session closes', async () => {
  const { harness, id, log, finish } = await startWork({ heeds: false });
  const working = harness.call('work_continue', { id });
  await settle();
  await harness.session.close();
  await assert.rejects(working, { code: 'E_CANCELLED' });
  assert.deepEqual(log, ['part two']);
  finish();
  await settle();
  assert.deepEqual(log, ['part two', 'aborted', 'cleaned up']);
});

test('a part that times out is aborted and cleaned up, and the call is closed', async () => {
  const { harness, id, log } = await startWork();
  const working = harness.call('work_continue', { id });
  await settle();
  harness.clock.advance(60_000);
  assert.equal((await working).error?.code, 'E_CALL_TIMEOUT');
  await settle();
  assert.deepEqual(log, ['part two', 'aborted', 'cleaned up']);
  await assertGone(harness, id);
});

test('cancelling one call ends the sub-agent that works for it', async () => {
  const { harness, id, log } = await startWork();
  const controller = new AbortController();
  const working = harness.call('work_continue', { id }, { signal: controller.signal });
  await settle();
  controller.abort();
  await assert.rejects(working, { code: 'E_CANCELLED' });
  await settle();
  assert.deepEqual(log, ['part two', 'aborted', 'cleaned up']);
  await assertGone(harness, id);
});

test('stopping a working part aborts its signal and returns after its cleanup', async () => {
  const { harness, id, log } = await startWork();
  const working = harness.call('work_continue', { id });
  await settle();
  const stopped = await harness.call('work_continue', { id, stop: true });
  assert.deepEqual(stopped.structured, { id, status: 'stopped' });
  assert.deepEqual((await working).structured, { id, status: 'stopped' });
  assert.deepEqual(log, ['part two', 'aborted', 'cleaned up']);
  await assertGone(harness, id);
  assert.equal((await harness.call('work_continue', { id, stop: true })).error?.code, 'E_ARGUMENTS_INVALID');
});

test('a stop returns only after a part that ignores its signal has ended', async () => {
  const { harness, id, log, finish } = await startWork({ heeds: false });
  const working = harness.call('work_continue', { id });
  await settle();
  let isTold = false;
  const stopping = harness.call('work_continue', { id, stop: true }).finally(() => (isTold = true));
  await settle();
  assert.equal(isTold, false);
  const refused = await harness.call('work_continue', { id, input: 1 });
  assert.deepEqual(refused.error, {
    code: 'E_STATE_CONFLICT',
    message: `${id} has ended and accepts no reply`,
    retryable: false,
  });
  finish();
  assert.deepEqual((await stopping).structured, { id, status: 'stopped' });
  await working;
  assert.deepEqual(log, ['part two', 'aborted', 'cleaned up']);
});

test('a generator that ends on its own while it is stopped returns its own result', async () => {
  const tools = defineStatefulTool({
    name: 'work',
    description: 'Works in parts.',
    inputSchema: { type: 'object' },
    async *execute(_, { signal }) {
      yield 'one';
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      return 'half of it';
    },
  });
  const harness = createHarness(tools);
  const id = await begin(harness);
  const working = harness.call('work_continue', { id });
  await settle();
  const done = { id, status: 'done', value: 'half of it' };
  assert.deepEqual((await harness.call('work_continue', { id, stop: true })).structured, done);
  assert.deepEqual((await working).structured, done);
});

test('a second reply while a part is working is refused', async () => {
  const { harness, id, finish } = await startWork();
  const working = harness.call('work_continue', { id, input: 'yes' });
  const second = await harness.call('work_continue', { id, input: 'no' });
  assert.deepEqual([second.error?.code, second.error?.retryable], ['E_STATE_CONFLICT', false]);
  finish();
  assert.deepEqual((await working).structured, { id, status: 'waiting', value: 'two' });
});

test('the context follows the current call, and its signal outlives that of the start', async () => {
  const seen: unknown[] = [];
  const sessions: unknown[] = [];
  const look = ({ callId, idempotencyKey, signal, progress, check }: ToolContext): void => {
    check();
    progress({ message: `from ${callId}` });
    seen.push([callId, idempotencyKey, signal.aborted]);
  };
  const tools = defineStatefulTool({
    name: 'work',
    description: 'Works in parts.',
    inputSchema: { type: 'object' },
    async *execute(_, context) {
      look(context);
      sessions.push(sessionOf(context));
      yield 'one';
      look(context);
      sessions.push(sessionOf(context));
      return null;
    },
  });
  const events: unknown[] = [];
  const harness = createHarness(tools, {
    session: { onProgress: (event) => event.type === 'tool-progress' && events.push([event.callId, event.update]) },
  });
  const { structured } = await harness.call('work', {}, { callId: 'a' });
  await harness.call('work_continue', { id: (structured as { readonly id: string }).id }, { callId: 'b' });
  assert.deepEqual(seen, [
    ['a', 'run:a', false],
    ['b', 'run:b', false],
  ]);
  assert.deepEqual(events, [
    ['a', { message: 'from a' }],
    ['b', { message: 'from b' }],
  ]);
  assert.deepEqual(sessions, [harness.session, harness.session]);
});

test('check() throws the reason why the call was ended', async () => {
  const thrown: unknown[] = [];
  const tools = defineStatefulTool({
    name: 'work',
    description: 'Works in parts.',
    inputSchema: { type: 'object' },
    async *execute(_, { signal, check }) {
      yield 'one';
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      try {
        check();
      } catch (error) {
        thrown.push(error);
        throw error;
      }
      return null;
    },
  });
  const harness = createHarness(tools);
  const id = await begin(harness);
  const working = harness.call('work_continue', { id });
  await settle();
  assert.deepEqual((await harness.call('work_continue', { id, stop: true })).structured, { id, status: 'stopped' });
  assert.equal((await working).error?.message, `${id} was stopped`);
  assert.ok(thrown[0] instanceof KernelError);
});

test.each([
  ['that throws', () => Promise.reject(new Error('out of paper')), /^out of paper$/],
  ['that yields a value that is not JSON', () => Promise.resolve(1n), /structuredContent that is not JSON/],
  [
    'that yields a value that JSON would drop',
    () => Promise.resolve(new Map([[1, 1]])),
    /structuredContent that is not JSON/,
  ],
])('a part %s is an error, and nothing stays open', async (_, makeValue, expected) => {
  let ended = 0;
  const tools = defineStatefulTool({
    name: 'work',
    description: 'Works in parts.',
    inputSchema: { type: 'object' },
    async *execute() {
      try {
        yield 'one';
        yield (await makeValue()) as unknown as JsonValue;
        return null;
      } finally {
        ended++;
      }
    },
  });
  const harness = createHarness(tools);
  const id = await begin(harness);
  const result = await harness.call('work_continue', { id });
  assert.equal(result.status, 'error');
  assert.match(result.text, expected);
  assert.equal(ended, 1);
  await assertGone(harness, id);
});

test.each([
  ['a promise', () => Promise.resolve('x')],
  ['nothing', () => {}],
  ['a list', () => ['x']],
])('an execute function that returns %s instead of a generator is rejected', async (_, execute) => {
  const tools = defineStatefulTool({
    name: 'work',
    description: 'Works in parts.',
    inputSchema: { type: 'object' },
    execute: execute as never,
  });
  const result = await createHarness(tools).call('work');
  assert.equal(result.text, 'execute of work must be an async generator function');
});

test('a generator that yields nothing is done after its start', async () => {
  const tools = defineStatefulTool({
    name: 'work',
    description: 'Works in parts.',
    inputSchema: { type: 'object' },
    async *execute() {
      return undefined;
    },
  });
  const { structured } = await createHarness(tools).call('work');
  const { id } = structured as { readonly id: string };
  assert.deepEqual(structured, { id, status: 'done', value: null });
});

test('a failure during cleanup is returned to the stop call and logged', async () => {
  const tools = defineStatefulTool({
    name: 'work',
    description: 'Works in parts.',
    inputSchema: { type: 'object' },
    async *execute() {
      try {
        yield 'one';
        return null;
      } finally {
        await Promise.reject(new Error('the tray is stuck'));
      }
    },
  });
  const harness = createHarness(tools);
  const id = await begin(harness);
  assert.equal((await harness.call('work_continue', { id, stop: true })).text, 'the tray is stuck');
  await begin(harness);
  await harness.session.close();
  await settle();
  const warnings = harness.logger.records.filter(
    ({ message }) => message === 'a stateful tool failed while it was stopped',
  );
  assert.equal(warnings.length, 2);
});

test('a session has at most 100 open calls of a tool, and ended calls make room', async () => {
  const { tools } = createWork();
  const harness = createHarness(tools, { policy: { maxToolCalls: 1_000 } });
  const ids: string[] = [];
  for (let index = 0; index < 100; index++) ids.push(await begin(harness));
  assert.deepEqual((await harness.call('work')).error, {
    code: 'E_BUDGET_EXHAUSTED',
    message: 'work already has 100 open calls in this session (the maximum); stop one with work_continue',
    retryable: false,
  });
  await using other = harness.invoker.openSession();
  assert.equal((await harness.invoker.invoke({ name: 'work', args: {} }, { session: other })).status, 'ok');
  await harness.call('work_continue', { id: ids[0], stop: true });
  assert.equal((await harness.call('work')).status, 'ok');
});
