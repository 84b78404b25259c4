import assert from 'node:assert/strict';
import { HookManager } from '@ravi/invoker';
import { Cancellation } from '@ravi/invoker/internal';
import type { ModelEvent, ModelProvider } from '@ravi/kernel';
import { createRecordingHooks, createScriptedModel, pairingProblems, settle } from '@ravi/testkit';
import { test } from 'vitest';
import { askUserTool, createAgentTool, ReActAgent, Supervision } from '../../src/index.ts';
import type { AgentOptions } from '../../src/index.ts';
import { createTestRuns } from '../support/memory-state.ts';
import { createOffice } from '../support/office-tools.ts';

const task = (name: string): { readonly name: string; readonly arguments: { readonly task: string } } => ({
  name,
  arguments: { task: 'Look' },
});

function worker(more: Partial<AgentOptions> = {}): ReActAgent {
  const model = createScriptedModel([{ toolCalls: [{ name: 'look' }] }, { text: 'Seen' }]);
  return new ReActAgent({
    name: 'worker',
    description: 'Looks at things',
    model,
    tools: createOffice().tools,
    ...more,
  });
}

test('an agent delegates a task to another and receives its answer', async () => {
  const hooks = new HookManager();
  const recorded = createRecordingHooks();
  recorded.attach(hooks);
  const model = createScriptedModel([{ toolCalls: [task('worker')] }, { text: 'ok' }]);
  const agent = new ReActAgent({ name: 'lead', model, tools: [createAgentTool(worker())], hooks });
  const result = await agent.run('go');
  assert.match(JSON.stringify(result.messages), /"text":"Seen"/);
  assert.deepEqual(
    recorded.of('handoff').map(({ agent: from, to }) => [from, to]),
    [['lead', 'worker']],
  );
});

test('a sub-agent with a run store of its own that asks the user ends without an answer, and its run is cancelled', async () => {
  const runs = createTestRuns();
  const asking = createScriptedModel([{ toolCalls: [{ name: 'ask_user', arguments: { question: 'Which?' } }] }]);
  const child = worker({ model: asking, tools: [askUserTool], runs });
  const model = createScriptedModel([{ toolCalls: [task('worker')] }, { text: 'ok' }]);
  const lead = new ReActAgent({ name: 'lead', model, tools: [createAgentTool(child)], runs });
  const result = await lead.run('go');
  assert.equal(result.status, 'completed');
  assert.match(JSON.stringify(result.messages), /ended without an answer \(paused\): question/);
  const row = [...runs.all.values()].find(({ parentRunId }) => parentRunId === result.runId);
  assert.deepEqual([row?.status, row?.outcome?.error?.code], ['cancelled', 'E_CANCELLED']);
  assert.deepEqual(row?.outcome?.result, { reason: 'question', text: '' });
});

test('a sub-agent may not use tools that its caller may not use', async () => {
  const office = createOffice();
  const model = createScriptedModel([{ toolCalls: [task('worker')] }, { text: 'ok' }]);
  const agent = new ReActAgent({ name: 'lead', model, tools: [createAgentTool(worker({ tools: office.tools }))] });
  await agent.run('go', { allowedTools: ['worker'] });
  assert.deepEqual(office.done, []);
});

test('a call needs approval if the policy of the caller or of the sub-agent requires it', async () => {
  const loose = { maxRiskUnapproved: 'high' } as const;
  for (const [above, below] of [
    [loose, {}],
    [{}, loose],
  ] as const) {
    const office = createOffice();
    const writing = createScriptedModel([{ toolCalls: [{ name: 'write' }] }, { text: 'Not allowed' }]);
    const child = worker({ model: writing, tools: office.tools, policy: below });
    const model = createScriptedModel([{ toolCalls: [task('worker')] }, { text: 'ok' }]);
    await new ReActAgent({ name: 'lead', model, tools: [createAgentTool(child)], policy: above }).run('go');
    assert.deepEqual(office.done, []);
  }
});

test('tokens and calls of a sub-agent count for its caller too', async () => {
  const usage = { inputTokens: 900, outputTokens: 100 };
  const model = createScriptedModel([
    { toolCalls: [task('worker')], usage },
    { text: 'ok', usage },
  ]);
  const small = createScriptedModel([
    { toolCalls: [{ name: 'look' }], usage },
    { text: 'Seen', usage },
  ]);
  const agent = new ReActAgent({
    name: 'lead',
    model,
    tools: [createAgentTool(worker({ model: small }))],
    request: { maxOutputTokens: 100 },
    budget: { maxTokens: 2_900 },
  });
  const result = await agent.run('go');
  assert.match(JSON.stringify(result.messages), /maxTokens/);
  assert.deepEqual([result.status, small.requests.length], ['completed', 1]);
  assert.deepEqual(pairingProblems(result.messages), []);
});

test('the number of sub-agents and their depth are limited', async () => {
  const toolCalls = [task('worker'), task('worker'), task('worker')];
  const model = createScriptedModel([{ toolCalls }, { text: 'ok' }]);
  const supervision = new Supervision({ maxAgents: 2 });
  const looker = (): ModelProvider => ({
    id: 'looker',
    async *stream() {
      yield { type: 'block', block: { type: 'text', text: 'Seen' } };
      yield { type: 'finish', reason: 'end', usage: { inputTokens: 0, outputTokens: 0 } };
    },
  });
  const tools = [createAgentTool(worker({ model: looker() }))];
  const result = await new ReActAgent({ name: 'lead', model, tools, supervision }).run('go');
  assert.equal(supervision.agents, 2);
  assert.match(JSON.stringify(result.messages), /maxAgents/);

  const deep = createScriptedModel([{ toolCalls: [task('middle')] }, { text: 'ok' }]);
  const middle = createScriptedModel([{ toolCalls: [task('worker')] }, { text: 'continued' }]);
  const nested = new ReActAgent({ name: 'middle', model: middle, tools });
  const shallow = new Supervision({ maxDepth: 1 });
  const outer = new ReActAgent({ name: 'lead', model: deep, tools: [createAgentTool(nested)], supervision: shallow });
  await outer.run('go');
  assert.match(JSON.stringify(middle.requests.at(-1)?.messages), /maxDepth/);
});

test('a sub-agent ends when its caller ends', async () => {
  const controller = new AbortController();
  const hanging = createScriptedModel([{ toolCalls: [{ name: 'hang' }] }]);
  const child = worker({ model: hanging, policy: { maxRiskUnapproved: 'high' } });
  const model = createScriptedModel([{ toolCalls: [task('worker')] }]);
  const running = new ReActAgent({
    name: 'lead',
    model,
    tools: [createAgentTool(child)],
    policy: { maxRiskUnapproved: 'high' },
  }).run('go', { signal: controller.signal });
  await settle();
  controller.abort();
  const result = await running;
  assert.equal(result.status, 'cancelled');
  assert.deepEqual(pairingProblems(result.messages), []);
});

test('the highest priority writes first, then the oldest request, and a cancelled request leaves the queue', async () => {
  const supervision = new Supervision({ maxConcurrent: 1 });
  const controller = new AbortController();
  const never = new Cancellation(new AbortController().signal);
  const order: string[] = [];
  const leave = await supervision.enter(0, never);
  const enter = async (name: string, priority: number, cancellation = never): Promise<void> => {
    const done = await supervision.enter(priority, cancellation);
    order.push(name);
    done();
  };
  const waiting = [enter('old', 0), enter('urgent', 5), enter('young', 0), enter('lazy', -1)];
  const given = assert.rejects(enter('gone', 9, new Cancellation(controller.signal)));
  controller.abort();
  leave();
  await Promise.all([...waiting, given]);
  assert.deepEqual(order, ['urgent', 'old', 'young', 'lazy']);
});

test('nested agents share one place to write without blocking each other', async () => {
  const supervision = new Supervision({ maxConcurrent: 1 });
  let writing = 0;
  let most = 0;
  const counting = (turns: Parameters<typeof createScriptedModel>[0]): ModelProvider => {
    const scripted = createScriptedModel(turns);
    return {
      id: 'counting',
      async *stream(request, options): AsyncGenerator<ModelEvent> {
        most = Math.max(most, ++writing);
        try {
          await settle();
          yield* scripted.stream(request, options);
        } finally {
          writing--;
        }
      },
    };
  };
  const leaf = (name: string): ReActAgent => new ReActAgent({ name, model: counting([{ text: 'Seen' }]) });
  const middle = new ReActAgent({
    name: 'middle',
    model: counting([{ toolCalls: [task('a'), task('b')] }, { text: 'Both seen' }]),
    tools: [createAgentTool(leaf('a')), createAgentTool(leaf('b'))],
  });
  const model = counting([{ toolCalls: [task('middle')] }, { text: 'ok' }]);
  const result = await new ReActAgent({ name: 'lead', model, tools: [createAgentTool(middle)], supervision }).run('go');
  assert.equal(result.status, 'completed');
  assert.equal(most, 1);
});
