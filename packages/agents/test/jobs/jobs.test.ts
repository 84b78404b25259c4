import assert from 'node:assert/strict';
import { defineTool } from '@ravi/kernel';
import type { ModelRequest, Tool } from '@ravi/kernel';
import { createFakeClock, createScriptedModel, createTestBlobs, pairingProblems, settle } from '@ravi/testkit';
import type { ScriptedToolCall } from '@ravi/testkit';
import { test } from 'vitest';
import { ReActAgent } from '../../src/index.ts';
import type { AgentContext, AgentEvent, AgentMiddleware } from '../../src/index.ts';
import { createTestJobs } from '../support/memory-state.ts';

/** A tool whose calls end when the test says so. */
function createBuild(more: Partial<Tool> = { mode: 'background' }): {
  readonly tool: Tool;
  readonly finish: (text: string) => void;
  readonly wasStopped: () => boolean;
} {
  const done = Promise.withResolvers<string>();
  let signal: AbortSignal | undefined;
  const tool = defineTool({
    name: 'build',
    description: 'Builds',
    inputSchema: { type: 'object' },
    ...more,
    execute: (_, context) => {
      signal = context.signal;
      return done.promise;
    },
  });
  return { tool, finish: done.resolve, wasStopped: () => signal?.aborted === true };
}

function jobIdIn({ messages }: ModelRequest): string {
  return /job_[\w-]+/.exec(JSON.stringify(messages))?.[0] ?? '';
}

const withJob =
  (name: string, more: Readonly<Record<string, number>> = {}) =>
  (request: ModelRequest): { readonly toolCalls: readonly ScriptedToolCall[] } => ({
    toolCalls: [{ name, arguments: { id: jobIdIn(request), ...more } }],
  });

test('a background call returns a job id at once, and its result follows as a message', async () => {
  const build = createBuild();
  const model = createScriptedModel([{ toolCalls: [{ name: 'build' }] }, { text: 'Working on it' }, { text: 'Built' }]);
  const jobs = createTestJobs();
  const running = new ReActAgent({ name: 'clerk', model, tools: [build.tool], jobs }).run('go');
  await settle();
  assert.equal(model.requests.length, 2);
  assert.equal([...jobs.all.values()][0]?.status, 'running');
  build.finish('42 files');
  const result = await running;
  assert.equal(result.text, 'Built');
  assert.match(JSON.stringify(result.messages.at(-2)), /is completed:\\n42 files/);
  assert.deepEqual(pairingProblems(result.messages), []);
  const [job] = jobs.all.values();
  assert.deepEqual([job?.status, job?.kind, job?.runId], ['completed', 'build', result.runId]);
});

test('a job result that arrives while other calls run is placed after their results', async () => {
  const build = createBuild();
  const look = defineTool({
    name: 'look',
    description: 'Looks',
    inputSchema: { type: 'object' },
    execute: async () => {
      build.finish('42 files');
      await settle();
      return 'looked';
    },
  });
  const model = createScriptedModel([
    { toolCalls: [{ name: 'build' }] },
    { toolCalls: [{ name: 'look' }] },
    { text: 'ok' },
  ]);
  const result = await new ReActAgent({ name: 'clerk', model, tools: [build.tool, look] }).run('go');
  assert.deepEqual(
    result.messages.at(-2)?.content.map((block) => block.type),
    ['tool_result', 'text'],
  );
  assert.deepEqual(pairingProblems(result.messages), []);
});

test('wait_job returns the result, which is not sent again', async () => {
  const build = createBuild();
  const model = createScriptedModel([{ toolCalls: [{ name: 'build' }] }, withJob('wait_job'), { text: 'ok' }]);
  const running = new ReActAgent({ name: 'clerk', model, tools: [build.tool] }).run('go');
  await settle();
  build.finish('42 files');
  const result = await running;
  assert.equal(result.status, 'completed');
  assert.equal(JSON.stringify(result.messages).split('42 files').length - 1, 1);
});

test('wait_job returns after its timeout, read_job returns the status, stop_job stops the job', async () => {
  const build = createBuild();
  const clock = createFakeClock();
  const model = createScriptedModel([
    { toolCalls: [{ name: 'build' }] },
    withJob('wait_job', { timeoutMs: 1_000 }),
    withJob('read_job'),
    withJob('stop_job'),
    withJob('read_job'),
    { text: 'ok' },
  ]);
  const running = new ReActAgent({ name: 'clerk', model, tools: [build.tool], clock }).run('go');
  await settle();
  clock.advance(1_000);
  const result = await running;
  assert.equal(result.status, 'completed');
  assert.ok(build.wasStopped());
  const texts = JSON.stringify(result.messages);
  assert.equal(texts.split('is running').length - 1, 2);
  assert.match(texts, /is cancelled/);
});

test('stop_job reports the status of a finished job, and an unknown id', async () => {
  const build = createBuild();
  const model = createScriptedModel([
    { toolCalls: [{ name: 'build' }] },
    () => {
      build.finish('42 files');
      return { toolCalls: [{ name: 'build' }] };
    },
    withJob('stop_job'),
    { toolCalls: [{ name: 'stop_job', arguments: { id: 'job_1' } }] },
    { text: 'ok' },
  ]);
  const { messages, trace } = await new ReActAgent({ name: 'clerk', model, tools: [build.tool] }).run('go');
  const told = JSON.stringify(messages);
  assert.match(told, /The job job_[\w-]+ is already completed\./);
  assert.match(told, /There is no job job_1/);
  assert.deepEqual(
    trace.filter(({ tool }) => tool === 'stop_job').map(({ status }) => status),
    ['ok', 'error'],
  );
});

test('a result that a stopped job returns is dropped', async () => {
  const build = createBuild();
  const model = createScriptedModel([
    { toolCalls: [{ name: 'build' }] },
    withJob('stop_job'),
    () => {
      build.finish('too late');
      return { toolCalls: [{ name: 'read_job', arguments: { id: jobIdIn(model.requests[1] as ModelRequest) } }] };
    },
    { text: 'ok' },
  ]);
  const jobs = createTestJobs();
  const { messages } = await new ReActAgent({ name: 'clerk', model, tools: [build.tool], jobs }).run('go');
  assert.ok(!JSON.stringify(messages).includes('too late'));
  assert.match(JSON.stringify(messages), /is cancelled:\\nThe job was stopped/);
  assert.deepEqual(pairingProblems(messages), []);
  assert.deepEqual(
    [...jobs.all.values()].map(({ status }) => status),
    ['cancelled'],
  );
});

test('a wait_job that is cancelled with its run leaves no timer', async () => {
  const [build, clock, controller] = [createBuild(), createFakeClock(), new AbortController()];
  const model = createScriptedModel([{ toolCalls: [{ name: 'build' }] }, withJob('wait_job')]);
  const agent = new ReActAgent({ name: 'clerk', model, tools: [build.tool], clock });
  const running = agent.run('go', { signal: controller.signal });
  await settle();
  const { pendingTimers } = clock;
  controller.abort();
  assert.equal((await running).status, 'cancelled');
  assert.ok(build.wasStopped());
  assert.equal(clock.pendingTimers, pendingTimers - 1);
});

test('pictures of a job are part of its result, however it is read', async () => {
  const paint = defineTool({
    name: 'paint',
    description: 'Paints',
    mode: 'background',
    inputSchema: { type: 'object' },
    execute: async () => ({
      content: [{ type: 'image', mediaType: 'image/png', source: { kind: 'bytes', bytes: new Uint8Array(3) } }],
      isError: false,
    }),
  });
  const artifactStore = createTestBlobs();
  const model = createScriptedModel([
    { toolCalls: [{ name: 'paint' }] },
    withJob('wait_job'),
    { toolCalls: [{ name: 'paint' }] },
    { text: 'Waiting' },
    { text: 'ok' },
  ]);
  const { messages } = await new ReActAgent({ name: 'painter', model, tools: [paint], artifactStore }).run('go');
  const refs = [...JSON.stringify(messages).matchAll(/"source":\{"kind":"blob","ref":"(blob_\d)"\}/g)];
  assert.deepEqual(
    refs.map(([, ref]) => ref),
    ['blob_1', 'blob_2'],
  );
});

test('read_job finds jobs of earlier runs of the same session, and none of another session', async () => {
  const jobs = createTestJobs();
  const own = { principal: 'local', sessionId: 's', kind: 'build', createdAt: 0 };
  for (const [id, owner] of [
    ['mine', own],
    ['theirs', { ...own, principal: 'mallory' }],
  ] as const) {
    await jobs.create({ id, ...owner });
    await jobs.update(id, 1, {
      status: 'completed',
      result: { status: 'ok', text: `secret of ${id}`, files: [] },
      now: 0,
    });
  }
  const toolCalls = ['mine', 'theirs'].map((id) => ({ name: 'read_job', arguments: { id } }));
  const model = createScriptedModel([{ toolCalls }, { text: 'ok' }]);
  const agent = new ReActAgent({ name: 'clerk', model, tools: [createBuild().tool], jobs });
  const texts = JSON.stringify((await agent.run('go', { sessionId: 's' })).messages);
  assert.match(texts, /secret of mine/);
  assert.doesNotMatch(texts, /secret of theirs/);
});

test('a slow call becomes a job automatically, and any running call when promote is called', async () => {
  for (const promoteAfterMs of [5_000, undefined]) {
    const build = createBuild({});
    const clock = createFakeClock();
    const model = createScriptedModel([{ toolCalls: [{ name: 'build' }] }, { text: 'Meanwhile' }, { text: 'Built' }]);
    const options = promoteAfterMs === undefined ? {} : { promoteAfterMs };
    const stream = new ReActAgent({ name: 'clerk', model, tools: [build.tool], clock, ...options }).stream('go');
    const events: AgentEvent[] = [];
    const reading = (async () => {
      for await (const event of stream) events.push(event);
    })();
    await settle();
    if (promoteAfterMs === undefined) assert.equal(stream.promote('call-1-1'), true);
    else clock.advance(promoteAfterMs);
    await settle();
    assert.equal(model.requests.length, 2);
    build.finish('42 files');
    await reading;
    const { status, messages } = await stream.result;
    assert.equal(status, 'completed');
    assert.deepEqual(pairingProblems(messages), []);
    assert.deepEqual(
      events.map((event) => event.type).filter((type) => type.startsWith('job-')),
      ['job-started', 'job-finished'],
    );
    assert.equal(stream.promote('call-1-1'), false);
  }
});

test('a background call passes the same gates: a denial is reported as its result', async () => {
  const build = createBuild({ mode: 'background', risk: 'critical' });
  const model = createScriptedModel([{ toolCalls: [{ name: 'build' }] }, { text: 'Working' }, { text: 'ok' }]);
  const result = await new ReActAgent({ name: 'clerk', model, tools: [build.tool] }).run('go');
  assert.match(JSON.stringify(result.messages), /is failed:.*approval/i);
  assert.equal(result.trace[0]?.status, 'denied');
});

test('jobs end with their run, and the job store records it', async () => {
  const build = createBuild();
  const jobs = createTestJobs();
  const model = createScriptedModel([{ toolCalls: [{ name: 'build' }] }]);
  const result = await new ReActAgent({ name: 'clerk', model, tools: [build.tool], jobs, maxSteps: 1 }).run('go');
  assert.equal(result.reason, 'max-steps');
  assert.ok(build.wasStopped());
  assert.equal([...jobs.all.values()][0]?.status, 'cancelled');
});

test('a call that waits for a job never becomes a job, neither by time nor by promote', async () => {
  const [build, clock] = [createBuild(), createFakeClock()];
  const model = createScriptedModel([{ toolCalls: [{ name: 'build' }] }, withJob('wait_job'), { text: 'Built' }]);
  const agent = new ReActAgent({ name: 'clerk', model, tools: [build.tool], clock, promoteAfterMs: 5_000 });
  const stream = agent.stream('go');
  await settle();
  assert.equal(stream.promote('call-2-1'), false);
  clock.advance(5_000);
  await settle();
  assert.equal(model.requests.length, 2);
  build.finish('42 files');
  const { text, messages } = await stream.result;
  assert.equal(text, 'Built');
  assert.match(JSON.stringify(messages.at(-2)), /42 files/);
});

test('a job whose result was already read does not cause another model request', async () => {
  const build = createBuild();
  let context: AgentContext | undefined;
  const watching: AgentMiddleware = {
    step(own, next) {
      context = own;
      return next();
    },
  };
  const model = createScriptedModel([{ toolCalls: [{ name: 'build' }] }, { text: 'Working on it' }]);
  const agent = new ReActAgent({ name: 'clerk', model, tools: [build.tool], middleware: [watching] });
  const running = agent.run('go');
  await settle();
  const [, told] = model.requests;
  await context?.tool('stop_job', { id: jobIdIn(told as ModelRequest) });
  const { status, text } = await running;
  assert.deepEqual([status, text, model.requests.length], ['completed', 'Working on it', 2]);
});
