import assert from 'node:assert/strict';
import { isKernelError } from '@ravi/kernel';
import { serveHttp } from '@ravi/mcp-testing';
import type { ReceivedMessage, ServerScript, Wire } from '@ravi/mcp-testing';
import { createFakeClock, settle } from '@ravi/testkit';
import { test } from 'vitest';
import { openSource } from './support/open-source.ts';
import type { TestSource } from './support/open-source.ts';
import { complete, modernScript } from './support/modern-script.ts';

const taskId = 'task-1';
const done = { content: [{ type: 'text', text: 'done' }] };

/** Server whose only tool runs as a task. `states` are the answers to `tasks/get`; the last one is repeated. */
async function openTask(
  states: readonly object[],
  more: ServerScript['on'] = {},
): Promise<{ readonly source: TestSource; readonly seen: readonly ReceivedMessage[] } & AsyncDisposable> {
  const seen: ReceivedMessage[] = [];
  let reads = 0;
  const noted =
    (handler: (message: ReceivedMessage, wire: Wire) => void) =>
    (message: ReceivedMessage, wire: Wire): void => {
      seen.push(message);
      handler(message, wire);
    };
  const { script } = modernScript({
    on: {
      'tools/call': (message, wire) =>
        wire.result(message, { resultType: 'task', taskId, status: 'working', pollIntervalMs: 5_000 }),
      'tasks/get': noted((message, wire) =>
        complete(message, wire, { taskId, pollIntervalMs: 5_000, ...states[Math.min(reads++, states.length - 1)] }),
      ),
      'tasks/update': noted((message, wire) => complete(message, wire, {})),
      'tasks/cancel': noted((message, wire) => complete(message, wire, {})),
      ...more,
    },
  });
  const server = await serveHttp(script);
  const source = await openSource({ name: 'slow', url: server.url, allowPrivateAddresses: true });
  return {
    source,
    seen,
    async [Symbol.asyncDispose]() {
      await source[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

const methodsOf = (seen: readonly ReceivedMessage[]): readonly unknown[] => seen.map(({ method }) => method);

/** Clock of a call, and a way to wait until the call pauses before its next question. */
function pollClock(): { readonly clock: ReturnType<typeof createFakeClock>; pausing(): Promise<void> } {
  const clock = createFakeClock();
  return {
    clock,
    async pausing() {
      // The time limit of the call is one timer, the pause another.
      while (clock.pendingTimers < 2) await settle();
    },
  };
}

test('a task is asked for its state in the pauses that the server wants, until its result is there', async () => {
  await using opened = await openTask([
    { status: 'working', statusMessage: 'half way' },
    { status: 'completed', result: done },
  ]);
  const { clock, pausing } = pollClock();
  const progress: unknown[] = [];
  const call = opened.source.call('slow__work', {}, { clock, progress: (step) => void progress.push(step) });
  await pausing();
  assert.deepEqual(methodsOf(opened.seen), []);
  clock.advance(4_999);
  await settle();
  assert.deepEqual(methodsOf(opened.seen), []);
  clock.advance(1);
  await pausing();
  assert.deepEqual([methodsOf(opened.seen), progress], [['tasks/get'], [{ message: 'half way' }]]);
  clock.advance(5_000);
  assert.deepEqual(await call, { ...done, isError: false });
  assert.deepEqual(
    opened.seen.map(({ params }) => params?.['taskId']),
    [taskId, taskId],
  );
});

test('a task that fails, fails the call with the words of the server', async () => {
  await using opened = await openTask([{ status: 'failed', error: { code: -32_603, message: 'The disk is full' } }]);
  const { clock, pausing } = pollClock();
  const call = opened.source.call('slow__work', {}, { clock });
  const failed = assert.rejects(call, (error) => {
    assert.ok(isKernelError(error, 'E_TOOL_FAILED'), String(error));
    assert.match(error.message, /The task of the MCP server failed: The disk is full/);
    return true;
  });
  await pausing();
  clock.advance(5_000);
  await failed;
  assert.equal(opened.source.state(), 'ready');
});

test('a task that the server cancels fails the call', async () => {
  await using opened = await openTask([{ status: 'cancelled', statusMessage: 'The machine restarts' }]);
  const { clock, pausing } = pollClock();
  const failed = assert.rejects(opened.source.call('slow__work', {}, { clock }), /cancelled: The machine restarts/);
  await pausing();
  clock.advance(5_000);
  await failed;
});

test('a call that is cancelled cancels its task at the server', async () => {
  const cancelled = Promise.withResolvers<unknown>();
  await using opened = await openTask([{ status: 'working' }], {
    'tasks/cancel': (message, wire) => {
      complete(message, wire, {});
      cancelled.resolve(message.params?.['taskId']);
    },
  });
  const { clock, pausing } = pollClock();
  const abort = new AbortController();
  const failed = assert.rejects(opened.source.call('slow__work', {}, { clock, signal: abort.signal }), /stopped/);
  await pausing();
  abort.abort(new Error('stopped'));
  await failed;
  assert.equal(await cancelled.promise, taskId);
});

test('a task that takes longer than a call may is cancelled at the server, and the call says so', async () => {
  const cancelled = Promise.withResolvers<unknown>();
  await using opened = await openTask([{ status: 'working' }], {
    'tasks/cancel': (message, wire) => {
      complete(message, wire, {});
      cancelled.resolve(message.params?.['taskId']);
    },
  });
  const { clock, pausing } = pollClock();
  const failed = assert.rejects(opened.source.call('slow__work', {}, { clock }), (error) =>
    isKernelError(error, 'E_CALL_TIMEOUT'),
  );
  await pausing();
  clock.advance(300_000);
  await failed;
  assert.equal(await cancelled.promise, taskId);
});

test('a question of a task reaches the person once, and the answer reaches the task', async () => {
  const question = {
    method: 'elicitation/create',
    params: {
      mode: 'form',
      message: 'Which city?',
      requestedSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
  };
  const asking = { status: 'input_required', inputRequests: { city: question } };
  // The server repeats the question until it has worked through the answer.
  await using opened = await openTask([asking, asking, { status: 'completed', result: done }]);
  const { clock, pausing } = pollClock();
  const asked: string[] = [];
  const call = opened.source.call(
    'slow__work',
    {},
    {
      clock,
      elicit: async ({ message }) => {
        asked.push(message);
        return { action: 'accept', content: { city: 'Ulm' } };
      },
    },
  );
  for (let round = 0; round < 3; round++) {
    await pausing();
    clock.advance(5_000);
    await settle();
  }
  assert.deepEqual(await call, { ...done, isError: false });
  assert.deepEqual(asked, ['Which city?']);
  const updates = opened.seen.filter(({ method }) => method === 'tasks/update');
  assert.deepEqual(
    updates.map(({ params }) => [params?.['taskId'], params?.['inputResponses']]),
    [[taskId, { city: { action: 'accept', content: { city: 'Ulm' } } }]],
  );
});

test('a server that reports the state of another task fails the call', async () => {
  await using opened = await openTask([{ taskId: 'task-2', status: 'completed', result: done }]);
  const { clock, pausing } = pollClock();
  const failed = assert.rejects(opened.source.call('slow__work', {}, { clock }), (error) =>
    isKernelError(error, 'E_OUTPUT_INVALID'),
  );
  await pausing();
  clock.advance(5_000);
  await failed;
});
