import assert from 'node:assert/strict';
import { textBlock } from '@ravi/kernel';
import type { ContentBlock, JsonObject, ModelEvent, ModelMessage } from '@ravi/kernel';
import { startLoopbackServer } from '@ravi/testkit';
import { test } from 'vitest';
import scriptedModel from '../src/scripted-model.ts';
import { openStory } from './running-agent.ts';

/** Message of the Chat Completions API. */
interface ChatMessage {
  readonly role: string;
  readonly content?: string | readonly { text: string }[] | null;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
  readonly tool_call_id?: string;
}

/** Body of a request of that API. */
interface ChatRequest {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

const { stream } = await scriptedModel.create({}, undefined as never);

/** Responds as a provider does, with what the scripted model says. */
async function* respond({ messages, tools = [] }: ChatRequest): AsyncIterable<string> {
  const request = {
    tools: tools.map(({ function: { name } }) => ({
      type: 'function' as const,
      name,
      description: '',
      parameters: {},
    })),
    messages: messages.flatMap(readMessage),
  };
  for await (const event of stream(request, { signal: new AbortController().signal })) {
    const choice = choiceOf(event);
    if (choice !== undefined) yield `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`;
  }
  yield `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 5 } })}\n\n`;
  yield 'data: [DONE]\n\n';
}

function readMessage({ role, content, tool_calls: calls = [], tool_call_id: id = '' }: ChatMessage): ModelMessage[] {
  const text = typeof content === 'string' ? content : (content ?? []).map((part) => part.text).join('');
  if (role === 'user') return [{ role: 'user', content: [textBlock(text)] }];
  if (role === 'tool') {
    const block = { type: 'tool_result', toolUseId: id, content: [textBlock(text)], isError: false } as const;
    return [{ role: 'user', content: [block] }];
  }
  const blocks = calls.map((call): ContentBlock => {
    const args = JSON.parse(call.function.arguments) as JsonObject;
    return { type: 'tool_use', id: call.id, name: call.function.name, arguments: args };
  });
  return role === 'assistant' ? [{ role, content: blocks }] : [];
}

function choiceOf(event: ModelEvent): object | undefined {
  if (event.type === 'finish') {
    return { delta: {}, finish_reason: event.reason === 'tool-use' ? 'tool_calls' : 'stop' };
  }
  if (event.type !== 'block') return undefined;
  if (event.block.type === 'text') return { delta: { content: event.block.text }, finish_reason: null };
  if (event.block.type !== 'tool_use') return undefined;
  const { id, name, arguments: args } = event.block;
  const call = { index: 0, id, type: 'function', function: { name, arguments: JSON.stringify(args) } };
  return { delta: { tool_calls: [call] }, finish_reason: null };
}

test(
  'with the key of a provider the same agents work with its model, and a commit that a person denies is not made',
  { timeout: 300_000 },
  async () => {
    await using provider = await startLoopbackServer(({ body }) => ({ body: respond(body as ChatRequest) }));
    const variables = {
      OPENAI_API_KEY: 'sk-loopback',
      OPENAI_BASE_URL: `${provider.url}/v1`,
      RAVI_MODEL: 'gpt-5-mini',
    };
    await using story = await openStory();
    await using agent = await story.start({ variables });
    const id = await agent.next(/git_commit waits for you: (\S+)$/);
    await agent.client.approvals.decide(id, { decision: 'denied', reason: 'Not on a Friday.' });
    await agent.next(/^(The server stays open)/);
    assert.deepEqual(story.commits(), ['Add prices']);
    assert.equal(story.git('diff', '--cached', '--name-only'), 'src/total.js');

    // The provider saw both agents with their own instructions and tools, and the key in the header alone.
    const asked = provider.requests.map(({ body }) => body as ChatRequest);
    assert.ok(asked.every(({ model }) => model === 'gpt-5-mini'));
    assert.ok(provider.requests.every(({ headers }) => headers['authorization'] === 'Bearer sk-loopback'));
    assert.doesNotMatch(JSON.stringify(asked), /sk-loopback/);
    const isOf = ({ messages }: ChatRequest, system: string): boolean =>
      JSON.stringify(messages[0]?.content).includes(system);
    const ofReviewer = asked.filter((request) => isOf(request, 'Review the change that is staged.'));
    const ofCoder = asked.filter((request) => isOf(request, 'You repair the repository'));
    assert.equal(ofReviewer.length + ofCoder.length, asked.length);
    const toolsOf = ([request]: readonly ChatRequest[]): string[] =>
      (request?.tools ?? []).map((tool) => tool.function.name);
    assert.ok(toolsOf(ofCoder).includes('git_commit'));
    assert.deepEqual(
      toolsOf(ofReviewer).filter((name) => /^(?:edit|undo|test_runner|git_(?:add|commit)|add_timer)$/.test(name)),
      [],
    );
  },
);
