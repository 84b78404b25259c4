import assert from 'node:assert/strict';
import type { HostedTool, Tool } from '@ravi/kernel';
import { createScriptedModel } from '@ravi/testkit';
import { test } from 'vitest';
import { ReActAgent } from '../../src/index.ts';

const local = (name: string, more: Partial<Tool> = {}): Tool => ({
  name,
  description: name,
  inputSchema: { type: 'object' },
  promptHint: `Hint of ${name}`,
  execute: async () => ({ content: [], isError: false }),
  ...more,
});
const search: HostedTool = {
  name: 'find_tools',
  description: 'Finds tools',
  providerSpecs: { 'scripted/messages': { type: 'tool_search_tool_bm25_20251119', name: 'find_tools' } },
};

async function requestWith(tools: readonly (Tool | HostedTool)[]) {
  const scripted = createScriptedModel([{ text: 'ok' }]);
  const model = { ...scripted, interfaces: ['scripted/messages'], stream: scripted.stream.bind(scripted) };
  await new ReActAgent({ name: 'clerk', model, tools }).run('go');
  const [request] = scripted.requests;
  assert.ok(request);
  return request;
}

test('a deferred tool is sent as deferred if the provider has a tool search, and not at all without one', async () => {
  const tools = [local('now'), local('later', { deferLoading: true })];
  const without = await requestWith(tools);
  assert.deepEqual(
    without.tools.map(({ name }) => name),
    ['now'],
  );
  const { tools: offered } = await requestWith([...tools, search]);
  assert.deepEqual(
    offered.map((spec) => [spec.name, spec.type === 'function' && spec.lazySchema === true]),
    [
      ['now', false],
      ['later', true],
      ['find_tools', false],
    ],
  );
});

test('the prompt has hints of declared tools only', async () => {
  const foreign: HostedTool = { name: 'elsewhere', description: 'x', providerSpecs: { 'other/chat': { type: 'x' } } };
  const { system = '' } = await requestWith([local('now'), local('later', { deferLoading: true }), search, foreign]);
  assert.match(system, /Hint of now/u);
  assert.doesNotMatch(system, /Hint of later|elsewhere/u);
});

test('text that a provider sends only in blocks also reaches the readers of deltas, once', async () => {
  const usage = { inputTokens: 1, outputTokens: 1 };
  const model = {
    id: 'whole',
    async *stream() {
      yield { type: 'block', block: { type: 'text', text: 'One. ' } } as const;
      yield { type: 'text-delta', text: 'Tw' } as const;
      yield { type: 'block', block: { type: 'text', text: 'Two.' } } as const;
      yield { type: 'finish', reason: 'end', usage } as const;
    },
  };
  const stream = new ReActAgent({ name: 'clerk', model }).stream('go');
  const deltas: string[] = [];
  for await (const event of stream) if (event.type === 'model-delta') deltas.push(event.text);
  assert.deepEqual(deltas, ['One. ', 'Tw', 'o.']);
  assert.equal((await stream.result).text, 'One. \nTwo.');
});
