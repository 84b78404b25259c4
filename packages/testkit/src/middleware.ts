import assert from 'node:assert/strict';
import type { InvocationResult, ModelEvent, ModelRequest, RunMiddleware, ToolUseBlock } from '@ravi/kernel';
import { createSampleRun, sampleCalls, sampleResults } from './doubles/sample-calls.ts';
import { deepFreeze } from './suite/deep-freeze.ts';
import type { ContractTest } from './suite/contract-test.ts';

const usage = { inputTokens: 3, outputTokens: 2 };
const responses: Readonly<Record<string, readonly ModelEvent[]>> = {
  'a text': [
    { type: 'text-delta', text: 'Hel' },
    { type: 'text-delta', text: 'lo' },
    { type: 'block', block: { type: 'text', text: 'Hello' } },
    { type: 'finish', reason: 'end', usage },
  ],
  'a call': [
    { type: 'block', block: { type: 'tool_use', id: 'call-1', name: 'read_file', arguments: { path: 'a' } } },
    { type: 'finish', reason: 'tool-use', usage },
  ],
  'a failure': [{ type: 'error', error: { code: 'E_MODEL_OVERLOADED', message: 'busy', retryable: true } }],
};
const request: ModelRequest = deepFreeze({
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
  tools: [],
});

/** Registers the suite of the port `middleware`. `create` makes a new one for each test. */
export function middlewareContract(test: ContractTest, create: () => RunMiddleware | Promise<RunMiddleware>): void {
  test('it has at least one function of the port', async () => {
    const middleware = await create();
    const given = [middleware.step, middleware.model, middleware.tool, middleware.guard].filter(Boolean);
    assert.ok(given.length > 0, 'it has none of step, model, tool, guard');
    for (const each of given) assert.equal(typeof each, 'function');
  });

  for (const [name, response] of Object.entries(responses)) {
    test(`model: a response with ${name} has one last event, and the request is not changed`, async () => {
      const middleware = await create();
      const events: ModelEvent[] = [];
      if (middleware.model === undefined) return;
      for await (const event of middleware.model(request, () => streamOf(response), createSampleRun()))
        events.push(event);
      const ends = events.filter(({ type }) => type === 'finish' || type === 'error');
      assert.equal(ends.length, 1, 'one last event');
      assert.deepEqual(ends, events.slice(-1), 'none after it');
      if (name === 'a failure') assert.equal(events.at(-1)?.type, 'error', 'a failure stays a failure');
    });
  }

  test('model: a reader that stops ends the response of the model', async () => {
    const middleware = await create();
    let isEnded = false;
    async function* endless(): AsyncGenerator<ModelEvent> {
      try {
        for (;;) yield { type: 'text-delta', text: 'x' };
      } finally {
        isEnded = true;
      }
    }
    if (middleware.model === undefined || middleware.buffersResponse === true) return;
    for await (const event of middleware.model(request, endless, createSampleRun())) if (event) break;
    assert.ok(isEnded, 'use for await, or call return of the iterator');
  });

  test('tool: every result of a call stays a whole result, and an exception of next is not lost', async () => {
    const middleware = await create();
    if (middleware.tool === undefined) return;
    const call: ToolUseBlock = deepFreeze({ type: 'tool_use', id: 'call-1', name: 'read_file', arguments: {} });
    for (const result of sampleResults()) {
      const returned: InvocationResult = await middleware.tool(call, async () => result, createSampleRun());
      assert.ok(['ok', 'error', 'denied'].includes(returned.status) && typeof returned.text === 'string');
      if (result.status === 'denied') assert.notEqual(returned.status, 'ok', 'a denied call stays denied');
    }
    const failing = middleware.tool(call, () => Promise.reject(new Error('cancelled')), createSampleRun());
    await assert.rejects(failing);
  });

  test('guard: decides about every call, also a hostile one', async () => {
    const middleware = await create();
    for (const call of sampleCalls()) {
      const reason = await middleware.guard?.(call, createSampleRun());
      assert.ok(reason === undefined || reason.trim() !== '', 'a refusal has a reason');
    }
  });

  test('step: an exception of the step is not lost', async () => {
    const middleware = await create();
    if (middleware.step === undefined) return;
    const failure = new Error('the step failed');
    await assert.rejects(middleware.step(createSampleRun(), () => Promise.reject(failure)));
  });
}

async function* streamOf(events: readonly ModelEvent[]): AsyncGenerator<ModelEvent> {
  yield* events;
}
