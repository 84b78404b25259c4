import assert from 'node:assert/strict';
import { textBlock } from '@ravi/kernel';
import type { InvocationResult, ModelMessage } from '@ravi/kernel';
import { createFakeClock, createScriptedModel, pairingProblems, settle } from '@ravi/testkit';
import { test } from 'vitest';
import { createCompaction, createGuardrail, ReActAgent } from '../../src/index.ts';
import type { AgentMiddleware, AgentOptions, GuardrailOptions } from '../../src/index.ts';
import { createOffice } from '../support/office-tools.ts';

const policy = { maxRiskUnapproved: 'high' } as const;

test('middleware wraps steps, responses and calls, the first outermost, and may change them', async () => {
  const seen: string[] = [];
  const tracing = (name: string): AgentMiddleware => ({
    async step(_, next) {
      seen.push(`${name} turn`);
      await next();
    },
    model(request, next) {
      seen.push(`${name} model`);
      return next({ ...request, system: `${request.system ?? ''}${name}` });
    },
    tool(call, next) {
      seen.push(`${name} tool`);
      return next({ ...call, arguments: { ...call.arguments, n: name } });
    },
  });
  const office = createOffice();
  const model = createScriptedModel([{ toolCalls: [{ name: 'look' }] }, { text: 'ok' }]);
  const middleware = [tracing('a'), tracing('b')];
  await new ReActAgent({ name: 'clerk', model, tools: office.tools, middleware }).run('go');
  const step = ['a turn', 'b turn', 'a model', 'b model'];
  assert.deepEqual(seen, [...step, 'a tool', 'b tool', ...step]);
  assert.equal(model.requests[0]?.system, 'ab');
  assert.deepEqual(office.done, ['look "b"']);
});

test('middleware cannot skip a gate, may return a result itself, and its exceptions become results', async () => {
  const office = createOffice();
  const middleware: readonly AgentMiddleware[] = [
    {
      async tool(call, next) {
        if (call.name === 'look') return { status: 'ok', text: 'from memory', files: [] };
        if (call.name === 'break') throw new Error('secret');
        return next({ ...call, name: 'pay' });
      },
    },
  ];
  const toolCalls = ['look', 'break', 'write'].map((name) => ({ name }));
  const model = createScriptedModel([{ toolCalls }, { text: 'ok' }]);
  const result = await new ReActAgent({ name: 'clerk', model, tools: office.tools, middleware, policy }).run('go');
  assert.deepEqual(office.done, []);
  assert.deepEqual(pairingProblems(result.messages), []);
  assert.equal(result.trace[0]?.errorCode, 'E_APPROVAL_NO_HANDLER');
  assert.doesNotMatch(JSON.stringify(result.messages), /secret/);
  assert.match(JSON.stringify(result.messages), /from memory/);
});

test('middleware that returns no result for a call causes an error result, and the history stays valid', async () => {
  for (const given of [undefined, null, 'done', {}, { status: 'error', text: 'no', files: [] }]) {
    const forgetful: AgentMiddleware = {
      async tool(call, next) {
        await next(call);
        return given as unknown as InvocationResult;
      },
    };
    const model = createScriptedModel([{ toolCalls: [{ name: 'look' }] }, { text: 'ok' }]);
    const { tools } = createOffice();
    const result = await new ReActAgent({ name: 'clerk', model, tools, middleware: [forgetful] }).run('go');
    assert.equal(result.status, 'completed');
    assert.deepEqual(pairingProblems(result.messages), []);
    assert.match(JSON.stringify(result.messages), /failed with an internal error/);
  }
});

test('middleware that skips a step ends the run, and its exceptions fail the run', async () => {
  const skipping: AgentMiddleware = { async step() {} };
  const model = createScriptedModel([{ text: 'never' }]);
  const skipped = await new ReActAgent({ name: 'clerk', model, middleware: [skipping] }).run('go');
  assert.deepEqual([skipped.status, skipped.reason, model.requests.length], ['stopped', 'middleware', 0]);
  const failing: AgentMiddleware = { step: () => Promise.reject(new Error('secret')) };
  const failed = await new ReActAgent({ name: 'clerk', model, middleware: [failing] }).run('go');
  assert.deepEqual([failed.status, failed.error?.code], ['failed', 'E_INTERNAL']);
  assert.doesNotMatch(failed.error?.message ?? '', /secret/);
});

test('a guardrail ends the run: at the request, at the response, at a call, and when the check throws', async () => {
  const trips = async (options: Omit<GuardrailOptions, 'name'>): Promise<readonly unknown[]> => {
    const office = createOffice();
    const model = createScriptedModel([{ text: 'The password is', toolCalls: [{ name: 'write' }] }, { text: 'ok' }]);
    const middleware = [createGuardrail({ name: 'secrets', ...options })];
    const result = await new ReActAgent({ name: 'clerk', model, tools: office.tools, middleware, policy }).run('go');
    assert.deepEqual(pairingProblems(result.messages), []);
    assert.deepEqual(office.done, []);
    return [result.status, result.reason, result.error?.message, model.requests.length, result.messages.length];
  };
  const stopped = ['stopped', 'guardrail'];
  assert.deepEqual(await trips({ input: () => 'not today' }), [...stopped, 'not today', 0, 1]);
  const output = (text: string): string | undefined => (text.includes('password') ? 'a password' : undefined);
  assert.deepEqual(await trips({ output }), [...stopped, 'a password', 1, 1]);
  assert.deepEqual(await trips({ call: async () => 'no writing' }), [...stopped, 'no writing', 1, 3]);
  const broken = (): never => {
    throw new Error('secret');
  };
  assert.deepEqual(await trips({ input: broken }), [...stopped, 'the guardrail failed with an error', 0, 1]);
});

test('maxTokens reserves an estimate and settles with the actual usage', async () => {
  const usage = { inputTokens: 300, outputTokens: 100 };
  const model = createScriptedModel(Array.from({ length: 9 }, () => ({ toolCalls: [{ name: 'look' }], usage })));
  const options: AgentOptions = {
    name: 'clerk',
    model,
    tools: createOffice().tools,
    request: { maxOutputTokens: 150 },
  };
  const result = await new ReActAgent({ ...options, budget: { maxTokens: 2_000 } }).run('go');
  assert.deepEqual([result.status, result.reason], ['stopped', 'budget']);
  assert.match(result.error?.message ?? '', /maxTokens/);
  assert.equal(model.requests.length, 5);
  assert.deepEqual(result.usage, { inputTokens: 1_500, outputTokens: 500 });
});

test('maxCost follows the price table, and a model without a price is refused', async () => {
  const usage = { inputTokens: 1_000_000, outputTokens: 0 };
  const model = createScriptedModel([{ toolCalls: [{ name: 'look' }], usage }, { text: 'never' }]);
  const options: AgentOptions = { name: 'clerk', model, tools: createOffice().tools, budget: { maxCost: 3 } };
  const priced = await new ReActAgent({ ...options, prices: { scripted: { input: 3, output: 15 } } }).run('go');
  assert.deepEqual([priced.reason, model.requests.length], ['budget', 1]);
  const unknown = await new ReActAgent({ ...options, prices: { other: { input: 3, output: 15 } } }).run('go');
  assert.deepEqual([unknown.reason, model.requests.length], ['budget', 1]);
  assert.match(unknown.error?.message ?? '', /no price/);
});

test('maxTimeMs ends a run that hangs, and every call has a result', async () => {
  const clock = createFakeClock();
  const model = createScriptedModel([{ toolCalls: [{ name: 'hang' }, { name: 'look' }] }]);
  const running = new ReActAgent({
    name: 'clerk',
    model,
    tools: createOffice().tools,
    policy,
    clock,
    budget: { maxTimeMs: 1_000 },
  }).run('go');
  await settle();
  clock.advance(1_000);
  const result = await running;
  assert.deepEqual([result.status, result.reason], ['stopped', 'budget']);
  assert.deepEqual(pairingProblems(result.messages), []);
});

test('compaction shows a summary and the end of a long conversation, keeps the source, and summarizes once', async () => {
  const summed: (readonly ModelMessage[])[] = [];
  const view = createCompaction({
    maxTokens: 300,
    async summarize(messages) {
      summed.push(messages);
      return `summary ${summed.length}`;
    },
  });
  const text = 'x'.repeat(200);
  const model = createScriptedModel([
    ...Array.from({ length: 12 }, () => ({ text, toolCalls: [{ name: 'look' }] })),
    { text: 'ok' },
  ]);
  const result = await new ReActAgent({ name: 'clerk', model, tools: createOffice().tools, view }).run('go');
  assert.equal(result.messages.length, 26);
  assert.deepEqual(result.messages[0], { role: 'user', content: [textBlock('go')] });
  for (const request of model.requests) assert.deepEqual(pairingProblems(request.messages), []);
  assert.ok(summed.length > 1 && summed.length < 6);
  assert.match(JSON.stringify(summed[1]?.[0]), /summary 1/);
  assert.match(JSON.stringify(model.requests.at(-1)?.messages[0]), new RegExp(`summary ${summed.length}`));
});
