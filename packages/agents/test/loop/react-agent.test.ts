import assert from 'node:assert/strict';
import { HookManager, Toolbox, ToolInvoker } from '@ravi/invoker';
import { defineTool, isKernelError, textBlock } from '@ravi/kernel';
import type { ModelEvent, ModelProvider, ToolResultBlock } from '@ravi/kernel';
import { createFakeClock, createRecordingHooks, createScriptedModel, pairingProblems, settle } from '@ravi/testkit';
import { test } from 'vitest';
import { ReActAgent, whenCalled } from '../../src/index.ts';
import type { AgentEvent, AgentResult } from '../../src/index.ts';
import { createOffice } from '../support/office-tools.ts';

const high = { maxRiskUnapproved: 'high' } as const;

function resultsOf({ messages }: AgentResult): readonly ToolResultBlock[] {
  return messages.flatMap((message) => message.content.filter((block) => block.type === 'tool_result'));
}

test('a run alternates calls and results until the model is done', async () => {
  const office = createOffice();
  const model = createScriptedModel([
    { text: 'Let me see.', toolCalls: [{ name: 'look' }], usage: { inputTokens: 10, outputTokens: 2 } },
    { toolCalls: [{ name: 'write' }], usage: { inputTokens: 20, outputTokens: 3, cachedInputTokens: 10 } },
    { text: 'All done.', usage: { inputTokens: 30, outputTokens: 4 } },
  ]);
  const agent = new ReActAgent({ name: 'clerk', model, tools: office.tools, system: 'Be brief.', policy: high });
  const result = await agent.run('Write it down');
  assert.equal(result.status, 'completed');
  assert.equal(result.reason, 'answer');
  assert.equal(result.text, 'All done.');
  assert.equal(result.steps, 3);
  assert.deepEqual(result.usage, { inputTokens: 60, outputTokens: 9, cachedInputTokens: 10 });
  assert.deepEqual(office.done, ['look', 'write']);
  assert.deepEqual(
    result.trace.map((record) => record.tool),
    ['look', 'write'],
  );
  assert.deepEqual(pairingProblems(result.messages), []);
  assert.equal(model.requests[0]?.system, 'Be brief.');
  assert.deepEqual(
    model.requests.map((request) => request.messages.length),
    [1, 3, 5],
  );
});

test('results are in the order of the calls, regardless of which ends first', async () => {
  const gates = new Map([1, 2, 3].map((n) => [n, Promise.withResolvers<void>()]));
  const wait = defineTool({
    name: 'wait',
    description: 'Waits',
    inputSchema: { type: 'object', properties: { n: { type: 'integer' } } },
    execute: async ({ n }) => {
      await gates.get(n as number)?.promise;
      return `waited ${n as number}`;
    },
  });
  const toolCalls = [1, 2, 3].map((n) => ({ name: 'wait', arguments: { n } }));
  const agent = new ReActAgent({
    name: 'clerk',
    model: createScriptedModel([{ toolCalls }, { text: 'ok' }]),
    tools: [wait],
  });
  const running = agent.run('go');
  for (const n of [3, 1, 2]) {
    await settle();
    gates.get(n)?.resolve();
  }
  const texts = resultsOf(await running).map((block) => block.content[0]);
  assert.deepEqual(texts, [textBlock('waited 1'), textBlock('waited 2'), textBlock('waited 3')]);
});

test('exclusive calls of one step run one after the other, the others concurrently', async () => {
  let running = 0;
  let most = 0;
  const exclusive = defineTool({
    name: 'edit',
    description: 'Edits',
    inputSchema: { type: 'object' },
    concurrency: 'exclusive',
    execute: async () => {
      most = Math.max(most, ++running);
      await settle();
      running--;
      return 'ok';
    },
  });
  const toolCalls = Array.from({ length: 4 }, () => ({ name: 'edit' }));
  const agent = new ReActAgent({ name: 'clerk', model: createScriptedModel([{ toolCalls }, {}]), tools: [exclusive] });
  const result = await agent.run('go');
  assert.equal(most, 1);
  assert.equal(resultsOf(result).length, 4);
});

/** A model whose response stops at one point until the test releases it. */
function createHaltingModel(
  first: readonly ModelEvent[],
  halt: Promise<void>,
  rest: readonly ModelEvent[],
): ModelProvider {
  let asked = 0;
  return {
    id: 'halting',
    async *stream() {
      if (++asked > 1) {
        yield { type: 'finish', reason: 'end', usage: { inputTokens: 0, outputTokens: 0 } };
        return;
      }
      yield* first;
      await halt;
      yield* rest;
    },
  };
}

const call = (id: string, name: string): ModelEvent => ({
  type: 'block',
  block: { type: 'tool_use', id, name, arguments: {} },
});
const toolUse: ModelEvent = { type: 'finish', reason: 'tool-use', usage: { inputTokens: 1, outputTokens: 1 } };

test('a safe call starts while the model is writing; one with side effects waits for the complete response', async () => {
  const office = createOffice();
  const halt = Promise.withResolvers<void>();
  const model = createHaltingModel([call('a', 'look'), call('b', 'write')], halt.promise, [toolUse]);
  const running = new ReActAgent({ name: 'clerk', model, tools: office.tools, policy: high }).run('go');
  await settle();
  assert.deepEqual(office.done, ['look']);
  halt.resolve();
  await running;
  assert.deepEqual(office.done, ['look', 'write']);
});

test('calls with side effects of a failed response never run, and the response is requested again', async () => {
  const office = createOffice();
  const error = { code: 'E_MODEL_UNAVAILABLE', message: 'gone', retryable: true };
  const model = createScriptedModel([
    { toolCalls: [{ name: 'look' }, { name: 'write' }], error },
    { toolCalls: [{ name: 'write' }] },
    { text: 'ok' },
  ]);
  const agent = new ReActAgent({ name: 'clerk', model, tools: office.tools, policy: high });
  const events: AgentEvent[] = [];
  const stream = agent.stream('go');
  for await (const event of stream) events.push(event);
  const result = await stream.result;
  assert.equal(result.status, 'completed');
  assert.deepEqual(office.done, ['look', 'write']);
  assert.equal(resultsOf(result).length, 1);
  assert.equal(events.filter((event) => event.type === 'model-retry').length, 1);
  assert.equal(events.at(-1)?.type, 'run-end');
});

test('a model that keeps failing ends the run with its error; an error that is not retryable ends it at once', async () => {
  const error = { code: 'E_MODEL_OVERLOADED', message: 'busy', retryable: true };
  const busy = createScriptedModel([{ error }, { error }, { error }, { text: 'too late' }]);
  const quick = { modelRetries: 2, maxModelRetryDelayMs: 0 };
  const result = await new ReActAgent({ name: 'clerk', model: busy, ...quick }).run('go');
  assert.equal(result.error?.message, 'busy (after 3 attempts)');
  assert.equal(result.status, 'failed');
  assert.equal(result.error?.code, 'E_MODEL_OVERLOADED');
  assert.equal(busy.requests.length, 3);
  const wrong = createScriptedModel([{ error: { code: 'E_MODEL_AUTHENTICATION', message: 'who?', retryable: false } }]);
  assert.equal((await new ReActAgent({ name: 'clerk', model: wrong }).run('go')).error?.code, 'E_MODEL_AUTHENTICATION');
  assert.equal(wrong.requests.length, 1);
});

test('a retry waits for the delay that the provider asks for', async () => {
  const clock = createFakeClock();
  const error = { code: 'E_MODEL_RATE_LIMITED', message: 'slow down', retryable: true, retryAfterMs: 5_000 };
  const model = createScriptedModel([{ error }, { text: 'ok' }]);
  const running = new ReActAgent({ name: 'clerk', model, clock }).run('go');
  await settle();
  assert.equal(model.requests.length, 1);
  clock.advance(4_999);
  await settle();
  assert.equal(model.requests.length, 1);
  // A hint is followed by up to a tenth of jitter.
  clock.advance(501);
  assert.equal((await running).status, 'completed');
});

test('retries without a hint wait, with a bound that doubles', async () => {
  const error = { code: 'E_MODEL_OVERLOADED', message: 'busy', retryable: true };
  const model = createScriptedModel([{ error }, { error }, { error }, { error }, { text: 'ok' }]);
  const delays: number[] = [];
  const clock = createFakeClock();
  const advance = setInterval(() => clock.advance(1000), 1);
  const stream = new ReActAgent({ name: 'clerk', model, clock }).stream('go');
  for await (const event of stream) if (event.type === 'model-retry') delays.push(event.delayMs);
  assert.equal((await stream.result).status, 'completed');
  clearInterval(advance);
  assert.equal(delays.length, 4);
  for (const [at, delayMs] of delays.entries()) assert.ok(delayMs <= 1000 * 2 ** at, `${delays.join()}`);
  assert.ok(Math.max(...delays) > 0);
});

test('a call with truncated or malformed arguments gets a result and is never executed', async () => {
  const office = createOffice();
  const model = createScriptedModel([
    {
      toolCalls: [
        { name: 'look', invalid: { reason: 'truncated', text: '{"n": ' } },
        { name: 'look', invalid: { reason: 'malformed', text: '[]' } },
      ],
    },
    { text: 'ok' },
  ]);
  const result = await new ReActAgent({ name: 'clerk', model, tools: office.tools }).run('go');
  assert.deepEqual(office.done, []);
  assert.deepEqual(
    resultsOf(result).map((block) => block.isError),
    [true, true],
  );
});

test('a truncated response runs none of its calls with side effects', async () => {
  const office = createOffice();
  const model = createScriptedModel([{ toolCalls: [{ name: 'write' }], reason: 'length' }, { text: 'ok' }]);
  const result = await new ReActAgent({ name: 'clerk', model, tools: office.tools, policy: high }).run('go');
  assert.deepEqual(office.done, []);
  assert.equal(resultsOf(result)[0]?.isError, true);
  assert.equal(result.status, 'completed');
});

test('repeated or empty ids of a model become unique', async () => {
  const office = createOffice();
  const toolCalls = [
    { name: 'look', id: 'x' },
    { name: 'look', id: 'x' },
    { name: 'look', id: '' },
  ];
  const model = createScriptedModel([{ toolCalls }, { toolCalls }, { text: 'ok' }]);
  const result = await new ReActAgent({ name: 'clerk', model, tools: office.tools }).run('go');
  assert.deepEqual(pairingProblems(result.messages), []);
  assert.equal(office.done.length, 6);
});

test('maxSteps, stop conditions, refusals and truncated responses stop a run with a reason', async () => {
  const office = createOffice();
  const endless = (): ModelProvider =>
    createScriptedModel(Array.from({ length: 20 }, () => ({ toolCalls: [{ name: 'look' }] })));
  const bounded = await new ReActAgent({ name: 'clerk', model: endless(), tools: office.tools, maxSteps: 3 }).run('go');
  assert.deepEqual([bounded.status, bounded.reason, bounded.steps], ['stopped', 'max-steps', 3]);
  const stopWhen = [whenCalled('look')];
  const stopped = await new ReActAgent({ name: 'clerk', model: endless(), tools: office.tools, stopWhen }).run('go');
  assert.deepEqual([stopped.status, stopped.reason, stopped.steps], ['stopped', 'stop-condition', 1]);
  for (const reason of ['length', 'refusal'] as const) {
    const model = createScriptedModel([{ text: 'I', reason }]);
    const result = await new ReActAgent({ name: 'clerk', model }).run('go');
    assert.deepEqual([result.status, result.reason, result.text], ['stopped', reason, 'I']);
  }
  for (const result of [bounded, stopped]) assert.deepEqual(pairingProblems(result.messages), []);
});

test('a response that the provider paused is continued with its content', async () => {
  const model = createScriptedModel([{ text: 'Searching', reason: 'pause' }, { text: 'Found' }]);
  const result = await new ReActAgent({ name: 'clerk', model }).run('go');
  assert.equal(result.text, 'Found');
  assert.deepEqual(
    model.requests[1]?.messages.map((message) => message.role),
    ['user', 'assistant'],
  );
});

test('a final answer that does not fit its schema is requested again, a limited number of times', async () => {
  const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
  const output = { schema, retries: 1 };
  const good = createScriptedModel([{ text: '{"n": "x"}' }, { text: '```json\n{"n": 7}\n```' }]);
  const result = await new ReActAgent({ name: 'clerk', model: good, output }).run('go');
  assert.deepEqual(result.output, { n: 7 });
  assert.deepEqual(good.requests[0]?.output?.schema, schema);
  assert.match(JSON.stringify(good.requests[1]?.messages.at(-1)), /does not match the output schema/);
  const bad = createScriptedModel([{ text: 'seven' }, { text: 'still seven' }]);
  const failed = await new ReActAgent({ name: 'clerk', model: bad, output }).run('go');
  assert.deepEqual([failed.status, failed.error?.code], ['failed', 'E_OUTPUT_INVALID']);
});

test('a cancelled run keeps the written text, and every call has a result', async () => {
  const halt = new Promise<void>(() => {});
  const controller = new AbortController();
  const model = createHaltingModel([{ type: 'text-delta', text: 'Half a' }, call('a', 'look')], halt, []);
  const running = new ReActAgent({ name: 'clerk', model, tools: createOffice().tools }).run('go', {
    signal: controller.signal,
  });
  await settle();
  controller.abort();
  const result = await running;
  assert.deepEqual([result.status, result.error?.code], ['cancelled', 'E_CANCELLED']);
  assert.deepEqual(result.messages.at(-1), { role: 'assistant', content: [textBlock('Half a')] });
  assert.deepEqual(pairingProblems(result.messages), []);
});

test('a reader that stops cancels the run', async () => {
  const model = createScriptedModel([{ toolCalls: [{ name: 'hang' }] }, { text: 'never' }]);
  const stream = new ReActAgent({ name: 'clerk', model, tools: createOffice().tools, policy: high }).stream('go');
  for await (const event of stream) if (event.type === 'tool-call') break;
  const result = await stream.result;
  assert.equal(result.status, 'cancelled');
  assert.deepEqual(pairingProblems(result.messages), []);
});

test('a provider that throws, or ends without a finish event, fails the run with an error value', async () => {
  const throwing: ModelProvider = {
    id: 'bad',
    stream() {
      throw new Error('no network');
    },
  };
  assert.equal((await new ReActAgent({ name: 'clerk', model: throwing }).run('go')).error?.code, 'E_MODEL_PROTOCOL');
  const silent: ModelProvider = { id: 'silent', async *stream() {} };
  assert.equal((await new ReActAgent({ name: 'clerk', model: silent }).run('go')).error?.code, 'E_MODEL_TRUNCATED');
});

test('with an invoker, the agent may only call the tools of its own array', async () => {
  const office = createOffice();
  const [look, write] = office.tools;
  assert.ok(look !== undefined && write !== undefined);
  const invoker = new ToolInvoker({ registry: new Toolbox([write]), policy: high });
  const model = createScriptedModel([{ toolCalls: [{ name: 'look' }, { name: 'write' }] }, { text: 'ok' }]);
  const agent = new ReActAgent({ name: 'clerk', model, invoker, tools: [look] });
  await agent.run('go');
  assert.deepEqual(office.done, ['look']);
  assert.deepEqual(
    model.requests[0]?.tools.map((spec) => spec.name),
    ['look'],
  );
  assert.throws(
    () => new ReActAgent({ name: 'clerk', model, invoker, policy: high }),
    (error) => isKernelError(error, 'E_CONFIG_INVALID'),
  );
});

test('observers receive the events of the run, its steps and its responses', async () => {
  const hooks = new HookManager();
  const recorded = createRecordingHooks();
  recorded.attach(hooks);
  const model = createScriptedModel([{ toolCalls: [{ name: 'look' }] }, { text: 'ok' }]);
  await new ReActAgent({ name: 'clerk', model, tools: createOffice().tools, hooks }).run('go');
  assert.deepEqual(
    recorded.types.filter((type) => /^(?:run|step|model)-/.test(type)),
    [
      'run-start',
      'step-start',
      'model-start',
      'model-end',
      'step-end',
      'step-start',
      'model-start',
      'model-end',
      'step-end',
      'run-end',
    ],
  );
});

test('observers receive the requested model: that of the request, else that of the provider', async () => {
  const hooks = new HookManager();
  const recorded = createRecordingHooks();
  recorded.attach(hooks);
  const model = { ...createScriptedModel([{ text: 'ok' }, { text: 'ok' }]), model: 'usual-1' };
  const { tools } = createOffice();
  await new ReActAgent({ name: 'clerk', model, tools, hooks }).run('go');
  await new ReActAgent({ name: 'clerk', model, tools, hooks, request: { model: 'other-1' } }).run('go');
  assert.deepEqual(
    recorded.of('model-start').map(({ model: asked }) => asked),
    ['usual-1', 'other-1'],
  );
  assert.deepEqual(
    recorded.of('model-end').map(({ stopReason }) => stopReason),
    ['end', 'end'],
  );
});

test('invalid options reject, and their stream has no events', async () => {
  const agent = new ReActAgent({ name: 'clerk', model: createScriptedModel([]) });
  const invalid = (error: unknown): boolean => isKernelError(error, 'E_CONFIG_INVALID');
  const running = agent.run('go', { policy: { maxToolCalls: -1 } });
  await assert.rejects(running, invalid);
  const stream = agent.stream('go', { policy: { maxToolCalls: -1 } });
  for await (const { type } of stream) assert.fail(type);
  await assert.rejects(stream.result, invalid);
});
