import assert from 'node:assert/strict';
import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { createTelemetry } from '@ravi/otel';
import type { EventScope, InvocationResult } from '@ravi/kernel';
import { afterAll, beforeAll, test } from 'vitest';
import { createObservedRuntime } from './support/observed-runtime.ts';

const scope = { runId: 'run_1', sessionId: 'session_1' };
const usage = { inputTokens: 12, outputTokens: 3, cachedInputTokens: 4 };
const asked = { tool: 'add', caller: 'direct', argsPreview: '{"a":1}' } as const;
const answered = { ...asked, status: 'ok', durationMs: 250, bytes: 2 } as const;

beforeAll(() => void context.setGlobalContextManager(new AsyncLocalStorageContextManager()));
afterAll(() => context.disable());

test('spans of an agent, its step, its model call and its tool call are nested and named by the conventions', () => {
  const runtime = createObservedRuntime();
  runtime.emit({ type: 'run-start', kind: 'agent', ...scope, agent: 'clerk' });
  runtime.emit({ type: 'step-start', ...scope, agent: 'clerk', step: 1 });
  const model = { ...scope, agent: 'clerk', step: 1, provider: 'google' };
  runtime.emit({ type: 'model-start', ...model, model: 'gemini-9' });
  runtime.emit({ type: 'model-end', ...model, model: 'gemini-9-001', usage, stopReason: 'tool-use' });
  runtime.emit({ type: 'tool-call', ...scope, ...asked, callId: 'call_1' });
  runtime.emit({ type: 'tool-result', ...scope, ...answered, callId: 'call_1' });
  runtime.emit({ type: 'step-end', ...scope, agent: 'clerk', step: 1, toolCalls: 1, usage });
  runtime.emit({ type: 'run-end', ...scope, agent: 'clerk', status: 'completed', steps: 1, usage });

  assert.deepEqual(runtime.tree(), {
    'invoke_agent clerk': { step: { 'chat gemini-9': {}, 'execute_tool add': {} } },
  });
  const chat = runtime.span('chat gemini-9');
  assert.equal(chat.kind, SpanKind.CLIENT);
  assert.deepEqual(chat.attributes, {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'gcp.gemini',
    'gen_ai.request.model': 'gemini-9',
    'gen_ai.response.model': 'gemini-9-001',
    'gen_ai.response.finish_reasons': ['tool_call'],
    'gen_ai.usage.input_tokens': 12,
    'gen_ai.usage.output_tokens': 3,
    'gen_ai.usage.cache_read.input_tokens': 4,
    'gen_ai.conversation.id': 'session_1',
    'ravi.run.id': 'run_1',
  });
  const call = runtime.span('execute_tool add').attributes;
  assert.equal(call['gen_ai.tool.name'], 'add');
  assert.equal(call['gen_ai.tool.call.id'], 'call_1');
  assert.equal(runtime.span('invoke_agent clerk').status.code, SpanStatusCode.UNSET);
});

test('calls of a script are children of the script, also when they end out of order', () => {
  const runtime = createObservedRuntime();
  const chain = { ...asked, tool: 'tool_chain' };
  const inner = { ...scope, parentId: 'call_1' };
  runtime.emit({ type: 'tool-call', ...scope, ...chain, callId: 'call_1' });
  runtime.emit({ type: 'chain-start', ...inner, language: 'javascript' });
  runtime.emit({ type: 'tool-call', ...inner, ...asked, tool: 'slow', callId: 'call_1.call_1' });
  runtime.emit({ type: 'tool-call', ...inner, ...asked, tool: 'fast', callId: 'call_1.call_2' });
  runtime.emit({ type: 'tool-result', ...inner, ...answered, tool: 'fast', callId: 'call_1.call_2' });
  runtime.emit({ type: 'tool-result', ...inner, ...answered, tool: 'slow', callId: 'call_1.call_1' });
  runtime.emit({ type: 'chain-end', ...inner, status: 'ok', durationMs: 1, toolCalls: 2 });
  runtime.emit({ type: 'tool-result', ...scope, ...answered, ...chain, callId: 'call_1' });
  assert.deepEqual(runtime.tree(), {
    'execute_tool tool_chain': { 'invoke_workflow chain': { 'execute_tool slow': {}, 'execute_tool fast': {} } },
  });
});

test('the run of a delegated task is a child of the call that delegated it', () => {
  const runtime = createObservedRuntime();
  const helper = { runId: 'run_2', sessionId: 'session_1', parentId: 'call_1' };
  runtime.emit({ type: 'run-start', kind: 'agent', ...scope, agent: 'clerk' });
  runtime.emit({ type: 'tool-call', ...scope, ...asked, tool: 'ask_helper', callId: 'call_1' });
  runtime.emit({ type: 'handoff', ...scope, agent: 'clerk', to: 'helper', childRunId: 'run_2' });
  runtime.emit({ type: 'run-start', kind: 'agent', ...helper, agent: 'helper' });
  runtime.emit({ type: 'run-end', ...helper, agent: 'helper', status: 'completed', steps: 0, usage });
  runtime.emit({ type: 'tool-result', ...scope, ...answered, tool: 'ask_helper', callId: 'call_1' });
  runtime.emit({ type: 'run-end', ...scope, agent: 'clerk', status: 'completed', steps: 1, usage });
  assert.deepEqual(runtime.tree(), {
    'invoke_agent clerk': { 'execute_tool ask_helper': { 'invoke_agent helper': {} } },
  });
});

test('failures carry their code as error.type, and the approval decision is on the call', () => {
  const runtime = createObservedRuntime();
  const call = { ...scope, callId: 'call_1' };
  runtime.emit({ type: 'tool-call', ...call, ...asked });
  runtime.emit({ type: 'approval-requested', ...call, tool: 'add', requestId: 'approval_1', risk: 'high' });
  const approval = {
    requestId: 'approval_1',
    decision: 'denied',
    approver: 'grace',
    reason: 'no',
    waitedMs: 9,
  } as const;
  runtime.emit({ type: 'approval-decided', ...call, tool: 'add', approval });
  runtime.emit({ type: 'tool-result', ...call, ...answered, status: 'denied', errorCode: 'E_APPROVAL_DENIED' });
  const { attributes, status } = runtime.span('execute_tool add');
  assert.equal(attributes['error.type'], 'E_APPROVAL_DENIED');
  assert.equal(attributes['ravi.approval.decision'], 'denied');
  assert.equal(attributes['ravi.approval.waited_ms'], 9);
  assert.equal(attributes['ravi.tool.risk'], 'high');
  assert.equal(status.code, SpanStatusCode.ERROR);
  assert.ok(!JSON.stringify(attributes).includes('grace'));
});

test('the next step and the end of the run close a model call and a step that never ended', () => {
  const runtime = createObservedRuntime();
  const step = { ...scope, agent: 'clerk' };
  runtime.emit({ type: 'run-start', kind: 'agent', ...step });
  for (const number of [1, 2]) {
    runtime.emit({ type: 'step-start', ...step, step: number });
    runtime.emit({ type: 'model-start', ...step, step: number, provider: 'openai' });
  }
  runtime.emit({
    type: 'run-end',
    ...step,
    status: 'cancelled',
    steps: 2,
    usage,
    error: { code: 'E_CANCELLED', message: 'Cancelled' },
  });
  assert.deepEqual(
    runtime.finished().map(({ name }) => name),
    ['chat', 'step', 'chat', 'step', 'invoke_agent clerk'],
  );
  assert.equal(runtime.span('invoke_agent clerk').attributes['error.type'], 'E_CANCELLED');
});

test('arguments and results are on no span by default; with the option they are redacted and then truncated', async () => {
  const result = { status: 'ok', text: `${'x'.repeat(3_995)}hunter2`, files: [] } as const satisfies InvocationResult;
  const play = async (runtime: ReturnType<typeof createObservedRuntime>): Promise<string> => {
    const call = { ...scope, callId: 'call_1' };
    runtime.emit({ type: 'tool-call', ...call, ...asked, argsPreview: '{"text":"hunter2"}' });
    await runtime.finishCall('after-tool', { ...call, tool: 'add', caller: 'direct', args: {} }, result);
    runtime.emit({ type: 'tool-result', ...call, ...answered });
    return JSON.stringify(runtime.span('execute_tool add').attributes);
  };
  const silent = await play(createObservedRuntime());
  assert.ok(!silent.includes('hunter2') && !silent.includes('gen_ai.tool.call.arguments'));

  const redact = (text: string): string => text.replaceAll('hunter2', '[redacted]');
  const open = createObservedRuntime({ content: { redact } });
  const recorded = await play(open);
  assert.ok(!recorded.includes('hunter'));
  const { attributes } = open.span('execute_tool add');
  assert.equal(attributes['gen_ai.tool.call.arguments'], '{"text":"[redacted]"}');
  assert.equal(attributes['gen_ai.tool.call.result'], `${'x'.repeat(3_995)}[reda`);
});

test('model calls, tokens, runs and tool calls are measured; invented tool names share one name', async () => {
  const runtime = createObservedRuntime();
  const model = { ...scope, agent: 'clerk', step: 1, provider: 'openai' };
  runtime.emit({ type: 'model-start', ...model, model: 'gpt' });
  runtime.emit({ type: 'model-end', ...model, usage, stopReason: 'end' });
  runtime.emit({ type: 'run-start', kind: 'agent', ...scope, agent: 'clerk' });
  runtime.emit({ type: 'run-end', ...scope, agent: 'clerk', status: 'completed', steps: 1, usage });
  for (const tool of ['made_up_1', 'made_up_2']) {
    runtime.emit({ type: 'tool-call', ...scope, ...asked, tool, callId: tool });
    const ending = { ...answered, tool, status: 'error', errorCode: 'E_TOOL_UNKNOWN' } as const;
    runtime.emit({ type: 'tool-result', ...scope, ...ending, callId: tool });
  }
  const measured = await runtime.measurements();
  const chat = { 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': 'openai', 'gen_ai.request.model': 'gpt' };
  assert.deepEqual(measured['gen_ai.client.token.usage'], [
    { attributes: { ...chat, 'gen_ai.token.type': 'input' }, count: 1, sum: 12 },
    { attributes: { ...chat, 'gen_ai.token.type': 'output' }, count: 1, sum: 3 },
  ]);
  assert.deepEqual(
    measured['gen_ai.client.operation.duration']?.map(({ attributes, count }) => ({ attributes, count })),
    [{ attributes: chat, count: 1 }],
  );
  assert.equal(measured['gen_ai.invoke_agent.duration']?.[0]?.count, 1);
  assert.deepEqual(measured['gen_ai.execute_tool.duration'], [
    {
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': '_OTHER',
        'error.type': 'E_TOOL_UNKNOWN',
      },
      count: 2,
      sum: 0.5,
    },
  ]);
});

test('a call whose run pauses does not count as failed, and is measured when it ends', async () => {
  const runtime = createObservedRuntime();
  const call = { ...scope, callId: 'call_1' };
  runtime.emit({ type: 'tool-call', ...call, ...asked });
  const paused = { ...answered, status: 'cancelled', errorCode: 'E_CANCELLED', isSuspended: true } as const;
  runtime.emit({ type: 'tool-result', ...call, ...paused });
  const { attributes, status } = runtime.span('execute_tool add');
  assert.equal(attributes['error.type'], undefined);
  assert.equal(status.code, SpanStatusCode.UNSET);
  runtime.emit({ type: 'tool-call', ...call, ...asked });
  runtime.emit({ type: 'tool-result', ...call, ...answered });
  const [measured, ...more] = (await runtime.measurements())['gen_ai.execute_tool.duration'] ?? [];
  assert.deepEqual([measured?.count, more], [1, []]);
});

test('spans of a tool are children of its call; without a call they keep their own parent', async () => {
  const runtime = createObservedRuntime();
  const work = async (name: string): Promise<void> => {
    await new Promise(setImmediate);
    runtime.tracer.startSpan(name).end();
  };
  const place = (callId: string): EventScope & { callId: string } => ({ ...scope, callId });
  const outer = runtime.tracer.startSpan('request');
  await context.with(trace.setSpan(context.active(), outer), async () => {
    for (const callId of ['a', 'b']) runtime.emit({ type: 'tool-call', ...place(callId), ...asked, tool: callId });
    await Promise.all(
      ['a', 'b', 'c'].map((callId) => runtime.telemetry.within(place(callId), () => work(`work of ${callId}`))),
    );
    for (const callId of ['a', 'b']) runtime.emit({ type: 'tool-result', ...place(callId), ...answered, tool: callId });
  });
  outer.end();
  assert.deepEqual(runtime.tree(), {
    request: { 'execute_tool a': { 'work of a': {} }, 'execute_tool b': { 'work of b': {} }, 'work of c': {} },
  });
});

test('dispose ends open spans and unsubscribes from the hooks', () => {
  const runtime = createObservedRuntime();
  runtime.emit({ type: 'run-start', kind: 'agent', ...scope, agent: 'clerk' });
  runtime.telemetry[Symbol.dispose]();
  assert.deepEqual(runtime.tree(), { 'invoke_agent clerk': {} });
  assert.equal(runtime.listeners(), 0);
});

test('without an SDK everything works and nothing is recorded', () => {
  const runtime = createObservedRuntime();
  using _telemetry = createTelemetry(runtime.hooks);
  runtime.emit({ type: 'tool-call', ...scope, ...asked, callId: 'call_1' });
  runtime.emit({ type: 'tool-result', ...scope, ...answered, callId: 'call_1' });
  assert.equal(runtime.finished().length, 1);
});
