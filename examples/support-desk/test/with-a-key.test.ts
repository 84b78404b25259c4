import assert from 'node:assert/strict';
import { createClient } from '@ravi/client';
import { textBlock } from '@ravi/kernel';
import type { ModelEvent, ModelMessage } from '@ravi/kernel';
import { startLoopbackServer } from '@ravi/testkit';
import { test } from 'vitest';
import scriptedModel from '../src/scripted-model.ts';
import { startDesk } from './running-desk.ts';

/** Body of a request of the Chat Completions API. */
interface ChatRequest {
  readonly model: string;
  readonly messages: readonly {
    readonly role: string;
    readonly content?: string | readonly { text: string }[] | null;
  }[];
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
    messages: messages.flatMap(({ role, content }): readonly ModelMessage[] => {
      if (role !== 'user' && role !== 'tool') return [];
      const text = typeof content === 'string' ? content : (content ?? []).map((part) => part.text).join('');
      return [{ role: 'user', content: [textBlock(text)] }];
    }),
  };
  for await (const event of stream(request, { signal: new AbortController().signal })) {
    const choice = choiceOf(event);
    if (choice !== undefined) yield `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`;
  }
  yield `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 5 } })}\n\n`;
  yield 'data: [DONE]\n\n';
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

test('with the key of a provider the same desk works with its model', { timeout: 120_000 }, async () => {
  await using provider = await startLoopbackServer(({ body }) => ({ body: respond(body as ChatRequest) }));
  const variables = {
    OPENAI_API_KEY: 'sk-loopback',
    OPENAI_BASE_URL: `${provider.url}/v1`,
    RAVI_MODEL: 'gpt-5-mini',
  };
  await using desk = await startDesk(variables);
  const client = createClient({ baseUrl: desk.url });
  const id = await desk.next(/refund_order waits for you: (\S+)$/);
  await client.approvals.decide(id, { decision: 'approved' });
  assert.match(await desk.next(/^Desk: (.*)$/), /refunded with 40\.00 €; the letter is attached/);
  assert.match(await (await fetch(await desk.next(/^ {2}letter: (\S+)$/))).text(), /^Dear Ada,/);
  assert.match(await desk.next(/^Desk: (.*)$/), /the judge auditor refused it: it is above 100 €/);

  // The provider saw each agent with its own instructions and tools, and the key in the header alone.
  const asked = provider.requests.map(({ body }) => body as ChatRequest);
  assert.ok(asked.every(({ model }) => model === 'gpt-5-mini'));
  assert.ok(provider.requests.every(({ headers }) => headers['authorization'] === 'Bearer sk-loopback'));
  assert.doesNotMatch(JSON.stringify(asked), /sk-loopback/);
  const texts = new Set(asked.map(({ messages }) => JSON.stringify(messages[0]?.content)));
  const about = [/You are the support desk of a shop/, /You handle refunds\./, /Allow refunds of up to 100 €/];
  for (const text of about)
    assert.ok(
      [...texts].some((system) => text.test(system)),
      `no request with ${text}`,
    );
  const { items } = await client.budgets.list();
  const tokens = items.find(({ name }) => name.includes('maxTokensPerDay'));
  assert.equal(tokens?.used, 15 * asked.length);
});
