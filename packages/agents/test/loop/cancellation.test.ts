import assert from 'node:assert/strict';
import { HookManager } from '@ravi/invoker';
import { Cancellation } from '@ravi/invoker/internal';
import { defineTool } from '@ravi/kernel';
import type { ModelProvider } from '@ravi/kernel';
import { createScriptedModel, pairingProblems, settle } from '@ravi/testkit';
import { test } from 'vitest';
import { readResponse } from '../../src/conversation/model-response.ts';
import { createAgentTool, createGuardrail, ReActAgent } from '../../src/index.ts';
import { createTestHistory } from '../support/memory-state.ts';

test('a run that is cancelled while its view is computed ends without a model request', async () => {
  const controller = new AbortController();
  const model = createScriptedModel([{ text: 'never' }]);
  const agent = new ReActAgent({
    name: 'clerk',
    model,
    view: {
      async view(messages) {
        controller.abort();
        return messages;
      },
    },
  });
  const result = await agent.run('go', { signal: controller.signal });
  assert.deepEqual([result.status, model.requests.length], ['cancelled', 0]);
});

test('no response is requested for a run that is already cancelled', async () => {
  const hanging: ModelProvider = {
    id: 'hanging',
    stream() {
      throw new Error('asked');
    },
  };
  const request = { messages: [], tools: [] };
  const { signal } = new AbortController();
  const cancelled = new Cancellation(AbortSignal.abort());
  const answer = await readResponse(
    () => hanging.stream(request, { signal }),
    cancelled,
    () => undefined,
  );
  assert.equal(answer.error?.code, 'E_CANCELLED');
});

test('a run that is cancelled while its last response is stored does not wait for jobs', async () => {
  const controller = new AbortController();
  const build = defineTool({
    name: 'build',
    description: 'Builds',
    mode: 'background',
    inputSchema: { type: 'object' },
    execute: () => new Promise<string>(() => {}),
  });
  const history = createTestHistory();
  let turns = 0;
  const slow: typeof history = {
    ...history,
    append(added, expectedLength) {
      if (++turns === 4) controller.abort();
      return history.append(added, expectedLength);
    },
  };
  // A job that does not end with its run.
  const deaf = { tool: () => new Promise<never>(() => {}) };
  const model = createScriptedModel([{ toolCalls: [{ name: 'build' }] }, { text: 'Working' }]);
  const agent = new ReActAgent({ name: 'clerk', model, tools: [build], history: slow, middleware: [deaf] });
  const result = await agent.run('go', { signal: controller.signal });
  assert.deepEqual([result.status, turns], ['cancelled', 4]);
  assert.deepEqual(pairingProblems(result.messages), []);
});

test('text of a cancelled response is dropped if a guardrail checks responses', async () => {
  const secret: ModelProvider = {
    id: 'talkative',
    async *stream() {
      yield { type: 'text-delta', text: 'The secret is 42' };
      await new Promise(() => {});
    },
  };
  const looking = createGuardrail({
    name: 'secrets',
    output: (text) => (/secret/.test(text) ? 'a secret' : undefined),
  });
  const asking = createGuardrail({ name: 'questions', input: () => undefined });
  for (const [guardrail, messages] of [
    [looking, 1],
    [asking, 2],
  ] as const) {
    const controller = new AbortController();
    const history = createTestHistory();
    const agent = new ReActAgent({ name: 'clerk', model: secret, history, middleware: [guardrail] });
    const running = agent.run('go', { signal: controller.signal });
    await settle();
    controller.abort();
    assert.equal((await running).status, 'cancelled');
    assert.equal(history.entries.length, messages);
  }
});

test('a sub-agent at any depth is cancelled alone, and the models above it continue', async () => {
  const { promise: begun, resolve } = Promise.withResolvers<void>();
  const hang = defineTool({
    name: 'hang',
    description: 'Never ends',
    inputSchema: { type: 'object' },
    execute() {
      resolve();
      return new Promise<string>(() => {});
    },
  });
  const call = (name: string) => ({ toolCalls: [{ name, arguments: name === 'hang' ? {} : { task: 'go' } }] });
  const worker = new ReActAgent({ name: 'worker', model: createScriptedModel([call('hang')]), tools: [hang] });
  const middle = createScriptedModel([call('worker'), { text: 'without the worker' }]);
  const boss = new ReActAgent({ name: 'boss', model: middle, tools: [createAgentTool(worker)] });
  const hooks = new HookManager();
  const model = createScriptedModel([call('boss'), { text: 'done' }]);
  const lead = new ReActAgent({ name: 'lead', model, tools: [createAgentTool(boss)], hooks });
  const started: Record<string, string> = {};
  hooks.observe('handoff', ({ to, childRunId }) => void (started[to] = childRunId));
  const stream = lead.stream('go');
  await begun;
  assert.equal(stream.cancelSubAgent('run_unknown'), undefined);
  const cancelled = await stream.cancelSubAgent(started['worker'] ?? '', 'Not needed any more');
  assert.deepEqual([cancelled?.status, cancelled?.runId], ['cancelled', started['worker']]);
  const { status, text } = await stream.result;
  assert.deepEqual([status, text], ['completed', 'done']);
  assert.match(JSON.stringify(middle.requests.at(-1)?.messages), /\(cancelled\): Not needed any more/);
  assert.equal(stream.cancelSubAgent(started['worker'] ?? ''), undefined);
});
