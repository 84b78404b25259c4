import assert from 'node:assert/strict';
import { defineTool } from '@ravi/kernel';
import type { ModelEvent, ModelProvider, Tool, ToolContext } from '@ravi/kernel';
import { HookManager } from '@ravi/invoker';
import { createRecordingHooks, createScriptedModel, settle } from '@ravi/testkit';
import { test } from 'vitest';
import { askUserTool, ReActAgent } from '../../src/index.ts';
import type { AgentEvent, AgentOptions } from '../../src/index.ts';
import { createTestHistory } from '../support/memory-state.ts';
import { createOffice } from '../support/office-tools.ts';

const look = { toolCalls: [{ name: 'look' }] };

function clerk(turns: Parameters<typeof createScriptedModel>[0], more: Partial<AgentOptions> = {}): ReActAgent {
  const policy = { maxRiskUnapproved: 'high' } as const;
  return new ReActAgent({ name: 'clerk', model: createScriptedModel(turns), policy, ...more });
}

function tool(name: string, execute: (context: ToolContext) => Promise<string>, more: Partial<Tool> = {}): Tool {
  return defineTool({
    name,
    description: `Does ${name}`,
    inputSchema: { type: 'object' },
    ...more,
    execute: (_, context) => execute(context),
  });
}

async function allOf(events: AsyncIterable<AgentEvent>): Promise<readonly AgentEvent[]> {
  const all: AgentEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

test('no event follows run-end, even if tools keep running', async () => {
  const late = Promise.withResolvers<void>();
  const progressing = tool('look', async (context) => {
    void late.promise.then(() => context.progress({ message: 'late' }));
    return 'seen';
  });
  const error = { code: 'E_X', message: 'no', retryable: false };
  const slow = tool('look', () => late.promise.then(() => 'late'), { risk: 'safe' });
  for (const stream of [
    clerk([look, { text: 'ok' }], { tools: [progressing] }).stream('go'),
    clerk([{ ...look, error }], { tools: [slow], middleware: [] }).stream('go'),
  ]) {
    await stream.result;
    late.resolve();
    await settle();
    assert.equal((await allOf(stream)).at(-1)?.type, 'run-end');
  }
});

test('a call has the same facts in hooks and in the stream, which adds its arguments and its result', async () => {
  const hooks = new HookManager();
  const recorded = createRecordingHooks();
  recorded.attach(hooks);
  const broken = tool('look', () => Promise.reject(new Error('dark')));
  const args = { at: 'sky', password: 'hunter2' };
  const asked = { toolCalls: [{ name: 'look', arguments: args }] };
  const events = await allOf(clerk([asked, { text: 'ok' }], { tools: [broken], hooks }).stream('go'));
  const called = events.find((event) => event.type === 'tool-call');
  const ended = events.find((event) => event.type === 'tool-result');
  const [hookedCall] = recorded.of('tool-call');
  const [hookedResult] = recorded.of('tool-result');
  assert.ok(called !== undefined && ended !== undefined && hookedResult !== undefined);
  assert.ok(!called.argsPreview.includes('hunter2'));
  assert.equal(ended.status, 'error');
  assert.deepEqual(called, { ...hookedCall, args });
  const { durationMs, result } = ended;
  // Middleware may have replaced the result, so the stream does not state the size of the tool's own.
  const { bytes: _, ...facts } = hookedResult;
  assert.deepEqual(ended, { ...facts, durationMs, result });
  assert.equal(result.error?.code, ended.errorCode);
});

test('hooks and the stream report the same start, steps, pause and end of a run', async () => {
  const asking = { toolCalls: [{ name: 'ask_user', arguments: { question: 'Which?' } }] };
  for (const [turn, last] of [
    [{ text: 'ok' }, 'run-end'],
    [asking, 'run-paused'],
  ] as const) {
    const hooks = new HookManager();
    const recorded = createRecordingHooks();
    recorded.attach(hooks);
    const events = await allOf(clerk([turn], { tools: [askUserTool], hooks }).stream('go'));
    assert.equal(events.at(-1)?.type, last);
    const isOfRun = ({ type }: { readonly type: string }): boolean => /^(?:run|step)-/.test(type);
    const facts = events.filter(isOfRun).map((event) => {
      const { result: _, ...rest } = { result: undefined, ...event };
      return rest;
    });
    assert.deepEqual(facts, recorded.recorded.filter(isOfRun));
  }
});

test('a message event is emitted once the message is stored', async () => {
  const history = createTestHistory();
  const seen: string[] = [];
  const append: typeof history.append = async (turns, expectedLength) => {
    await settle();
    const stored = await history.append(turns, expectedLength);
    seen.push(`stored ${turns[0]?.message.role}`);
    return stored;
  };
  for await (const event of clerk([{ text: 'ok' }], { history: { ...history, append } }).stream('go')) {
    if (event.type === 'message') seen.push(`told ${event.message.role}`);
  }
  assert.deepEqual(seen, ['stored user', 'told user', 'stored assistant', 'told assistant']);
});

test('a message that could not be stored has no event', async () => {
  const history = createTestHistory();
  history.failAt(2);
  const events = await allOf(clerk([{ text: 'ok' }], { history }).stream('go'));
  assert.equal(events.filter(({ type }) => type === 'message').length, 1);
});

test('a call has one id in all events and in the conversation, even if the model repeats ids', async () => {
  const toolCalls = [
    { name: 'look', id: 'x' },
    { name: 'look', id: 'x' },
    { name: 'look', id: '' },
  ];
  const { tools } = createOffice();
  const stream = clerk([{ toolCalls }, { toolCalls }, { text: 'ok' }], { tools }).stream('go');
  const events = await allOf(stream);
  const idsOf = (type: AgentEvent['type']): readonly string[] =>
    events.flatMap((event) => (event.type === type && 'callId' in event ? [event.callId] : []));
  const ids = ['x', 'x~2', 'call', 'x~3', 'x~4', 'call~2'];
  for (const type of ['tool-call-start', 'tool-call-delta', 'tool-call', 'tool-result'] as const) {
    assert.deepEqual(idsOf(type), ids, type);
  }
  const { messages } = await stream.result;
  assert.deepEqual(
    messages.flatMap(({ content }) => content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []))),
    ids,
  );
});

test('interleaved calls keep their ids, also in a discarded response', async () => {
  const start = (id: string): ModelEvent => ({ type: 'tool-call-start', id, name: 'look' });
  const delta: ModelEvent = { type: 'tool-call-delta', id: 'x', text: '{}' };
  const block: ModelEvent = { type: 'block', block: { type: 'tool_use', id: 'x', name: 'look', arguments: {} } };
  const usage = { inputTokens: 0, outputTokens: 0 };
  const error = { code: 'E_MODEL_OVERLOADED', message: 'busy', retryable: true };
  const answers: readonly (readonly ModelEvent[])[] = [
    [start('x'), { type: 'error', error }],
    [start('x'), delta, start('x'), delta, block, block, { type: 'finish', reason: 'tool-use', usage }],
    [{ type: 'finish', reason: 'end', usage }],
  ];
  let asked = 0;
  const model: ModelProvider = {
    id: 'm',
    async *stream() {
      yield* answers[asked++] ?? [];
    },
  };
  const events = await allOf(clerk([], { model, tools: createOffice().tools }).stream('go'));
  const named = events.flatMap((event) => ('callId' in event ? [`${event.type} ${event.callId}`] : []));
  assert.deepEqual(named.slice(0, 6), [
    'tool-call-start x',
    'tool-call-start x~2',
    'tool-call-delta x~2',
    'tool-call-start x~3',
    'tool-call-delta x~3',
    'tool-call x~2',
  ]);
  assert.deepEqual(named.filter((name) => name.startsWith('tool-result')).toSorted(), [
    'tool-result x~2',
    'tool-result x~3',
  ]);
});

test('a call that is cancelled with its run has exactly one result', async () => {
  const stream = clerk([{ toolCalls: [{ name: 'hang' }] }], { tools: createOffice().tools }).stream('go');
  await settle();
  stream.cancel('enough');
  const events = await allOf(stream);
  const results = events.flatMap((event) => (event.type === 'tool-result' ? [event.result.error?.code] : []));
  assert.deepEqual(results, ['E_CANCELLED']);
  assert.equal(events.at(-1)?.type, 'run-end');
});

test('a job stopped by the model, from outside or with its run emits job-finished', async () => {
  const build = tool('build', () => new Promise(() => {}), { mode: 'background' });
  const started = { toolCalls: [{ name: 'build' }] };
  const jobIn = (events: readonly AgentEvent[]): readonly string[] =>
    events.flatMap((event) => (event.type === 'job-finished' ? [`${event.tool} ${event.result.error?.code}`] : []));
  const stopping = clerk(
    [
      started,
      ({ messages }) => {
        const id = /job_[\w-]+/.exec(JSON.stringify(messages))?.[0] ?? '';
        return { toolCalls: [{ name: 'stop_job', arguments: { id } }] };
      },
      { text: 'ok' },
    ],
    { tools: [build] },
  );
  assert.deepEqual(jobIn(await allOf(stopping.stream('go'))), ['build E_CANCELLED']);
  const ending = clerk([started], { tools: [build], maxSteps: 1 });
  assert.deepEqual(jobIn(await allOf(ending.stream('go'))), ['build E_CANCELLED']);
  const outside = clerk([started, { text: 'Working' }, { text: 'ok' }], { tools: [build] }).stream('go');
  const events: AgentEvent[] = [];
  for await (const event of outside) {
    events.push(event);
    if (event.type === 'job-started') assert.ok(outside.stopJob(event.jobId));
  }
  assert.deepEqual(jobIn(events), ['build E_CANCELLED']);
});

test('two readers of one stream share its events, both reach the end, and one may stop', async () => {
  const halt = Promise.withResolvers<void>();
  const waiting = tool('look', () => halt.promise.then(() => 'seen'));
  const stream = clerk([look, { text: 'ok' }], { tools: [waiting] }).stream('go');
  const reading = [allOf(stream), allOf(stream)];
  const leaving = stream[Symbol.asyncIterator]();
  const { value: taken } = await leaving.next();
  await leaving.return?.();
  await settle();
  halt.resolve();
  const parts = await Promise.all(reading);
  const { status } = await stream.result;
  assert.equal(status, 'completed');
  const types = [...parts.flat(), taken as AgentEvent].map(({ type }) => type);
  assert.equal(types.filter((type) => type === 'run-end').length, 1);
  assert.equal(types.filter((type) => type === 'step-start').length, 2);
});
