import assert from 'node:assert/strict';
import { createFailover, ReActAgent } from '@ravi/agents';
import type { AgentResult } from '@ravi/agents';
import { defineTool, toolNamePattern } from '@ravi/kernel';
import type { ModelMessage, ModelProvider } from '@ravi/kernel';
import { createAnthropicProvider } from '@ravi/provider-anthropic';
import { createGoogleProvider } from '@ravi/provider-google';
import { createOpenAiProvider } from '@ravi/provider-openai';
import { pairingProblems, readRecordings, startLoopbackServer } from '@ravi/testkit';
import type { LoopbackAnswer } from '@ravi/testkit';
import { test } from 'vitest';
import { apis, wireProblems } from './support/wire-pairing.ts';
import type { Api } from './support/wire-pairing.ts';

/** Responses of a model, request by request, and their calls. */
interface Conversation {
  readonly name: string;
  readonly api: Api;
  readonly answers: readonly LoopbackAnswer[];
  readonly tools: readonly string[];
  readonly calls: number;
}

const perApi = 3;
const folders: Readonly<Record<Api, RegExp>> = {
  chat: /^openai-chat$/,
  responses: /^openai-responses$/,
  messages: /^anthropic-messages$/,
  gemini: /^gemini$/,
};

/** Returns recorded conversations that call their own tools and end; `undefined` without the shared data. */
function recordedConversations(api: Api): readonly Conversation[] | undefined {
  const recordings = readRecordings(folders[api]);
  const found = recordings?.flatMap(({ name, interactions }): Conversation[] => {
    const made = interactions.map(({ expected }) => expected?.toolCalls ?? []);
    const tools = [...new Set(made.flat().map((call) => call.name))];
    const isTask = made.length > 1 && made.every((calls, at) => calls.length > 0 === at < made.length - 1);
    const isOne = new Set(interactions.map(({ request }) => request.host)).size === 1;
    const isPlain = interactions.every(
      ({ response }) => response.status === 200 && (response.text ?? response.body) !== undefined,
    );
    if (!isTask || !isOne || !isPlain || !tools.every((tool) => toolNamePattern.test(tool))) return [];
    const answers = interactions.map(({ response }) => ({ body: response.text ?? response.body }));
    return [{ name, api, answers, tools, calls: made.flat().length }];
  });
  return found?.toSorted((left, right) => right.calls - left.calls).slice(0, perApi);
}

/** Conversation of two steps with two calls each and a final response, for machines without the recordings. */
const written: Conversation = {
  name: 'written',
  api: 'chat',
  tools: ['look', 'write'],
  calls: 4,
  answers: [0, 1, 2].map((step) => {
    const calls = ['look', 'write'].map((name) => ({
      id: `call_${step}_${name}`,
      type: 'function',
      function: { name, arguments: '{}' },
    }));
    const message = step < 2 ? { role: 'assistant', content: null, tool_calls: calls } : { content: 'Done.' };
    return { body: { choices: [{ message, finish_reason: step < 2 ? 'tool_calls' : 'stop' }] } };
  }),
};

function providerAt(api: Api, url: string): ModelProvider {
  const options = { model: 'm', apiKey: 'k', maxRetries: 0 };
  if (api === 'messages') return createAnthropicProvider({ ...options, baseUrl: url });
  if (api === 'gemini') return createGoogleProvider({ ...options, baseUrl: url });
  return createOpenAiProvider({ ...options, api, baseUrl: `${url}/v1` });
}

type Disturbance = 'nothing' | 'denial' | 'hanging' | 'abort' | 'outage';

/** Runs the conversation with a disturbance at one call or request, and returns the requests to the second provider. */
async function play(
  { api, answers, tools }: Conversation,
  disturbance: Disturbance,
  place: number,
): Promise<{ readonly result: AgentResult; readonly moved: readonly unknown[] }> {
  let asked = 0;
  await using models = await startLoopbackServer(() => {
    const at = asked++;
    return disturbance === 'outage' && at === place
      ? { status: 503, body: { error: { message: 'overloaded' } } }
      : (answers[Math.min(at, answers.length - 1)] as LoopbackAnswer);
  });
  const other: Api = api === 'messages' ? 'chat' : 'messages';
  await using others = await startLoopbackServer(() => ({ body: lastWord[other] }));
  const controller = new AbortController();
  let [judged, begun] = [0, 0];
  const agent = new ReActAgent({
    name: 'clerk',
    model: createFailover([providerAt(api, models.url), providerAt(other, others.url)]),
    modelRetries: 1,
    tools: tools.map((name) =>
      defineTool({
        name,
        description: 'Does it.',
        risk: 'high',
        inputSchema: { type: 'object' },
        execute: () => {
          if (begun++ !== place) return 'done';
          if (disturbance === 'abort') controller.abort();
          return disturbance === 'hanging' || disturbance === 'abort' ? new Promise<never>(() => {}) : 'done';
        },
      }),
    ),
    policy: { callTimeoutMs: disturbance === 'hanging' ? 50 : 60_000, approvalTimeoutMs: 40 },
    approvalHandler: {
      request: async () => ({ decision: disturbance === 'denial' && judged++ === place ? 'denied' : 'approved' }),
    },
  });
  const result = await agent.run('Do it', { signal: controller.signal });
  return { result, moved: others.requests.map(({ body }) => body) };
}

const lastWord = {
  chat: { choices: [{ message: { role: 'assistant', content: 'Done elsewhere.' }, finish_reason: 'stop' }] },
  messages: {
    type: 'message',
    role: 'assistant',
    content: [{ type: 'text', text: 'Done elsewhere.' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 1, output_tokens: 1 },
  },
};

/** Checks the next request to each provider against its rules. */
async function assertGood(messages: readonly ModelMessage[], what: string): Promise<void> {
  assert.deepEqual(pairingProblems(messages), [], what);
  await using server = await startLoopbackServer(() => ({ status: 400, body: {} }));
  const next = [
    ...messages,
    ...(messages.at(-1)?.role === 'user' ? [] : [{ role: 'user', content: [again] } as const]),
  ];
  for (const api of apis) {
    for await (const _ of providerAt(api, server.url).stream({ messages: next, tools: [] }, { signal })) continue;
    assert.deepEqual(wireProblems(api, server.requests.at(-1)?.body), [], `${what}, sent to ${api}`);
  }
  assert.equal(server.requests.length, apis.length);
}

const again = { type: 'text', text: 'Continue' } as const;
const { signal } = new AbortController();

async function playAll(conversation: Conversation): Promise<number> {
  const { name, calls, answers } = conversation;
  const { result } = await play(conversation, 'nothing', -1);
  assert.deepEqual([result.status, result.trace.length], ['completed', calls], name);
  await assertGood(result.messages, name);
  for (let place = 0; place < calls; place++) {
    for (const [disturbance, status, record] of [
      ['denial', 'completed', 'denied'],
      ['hanging', 'completed', 'timeout'],
      ['abort', 'cancelled', 'cancelled'],
    ] as const) {
      const what = `${name}, ${disturbance} at call ${place}`;
      const disturbed = await play(conversation, disturbance, place);
      assert.equal(disturbed.result.status, status, what);
      assert.ok(
        disturbed.result.trace.some((call) => call.status === record),
        what,
      );
      await assertGood(disturbed.result.messages, what);
    }
  }
  for (let place = 0; place < answers.length; place++) {
    const what = `${name}, outage at request ${place}`;
    const { result: elsewhere, moved } = await play(conversation, 'outage', place);
    assert.deepEqual([elsewhere.status, moved.length], ['completed', 1], what);
    assert.deepEqual(wireProblems(conversation.api === 'messages' ? 'chat' : 'messages', moved[0]), [], what);
    await assertGood(elsewhere.messages, what);
  }
  return 1 + calls * 3 + answers.length;
}

test('a task over a socket ends as expected with a denial, time-out, abort or outage at any point', async () => {
  assert.equal(await playAll(written), 16);
});

for (const api of apis) {
  const conversations = recordedConversations(api);
  test.skipIf(conversations === undefined)(
    `the same for recorded conversations, ${api} (needs the shared recordings)`,
    async () => {
      let runs = 0;
      for (const conversation of conversations ?? []) runs += await playAll(conversation);
      assert.ok(runs > 0);
      console.log(`${conversations?.length} conversations, ${runs} runs`);
    },
  );
}
