import assert from 'node:assert/strict';
import { isKernelError } from '@ravi/kernel';
import { serveHttp } from '@ravi/mcp-testing';
import type { ReceivedMessage, ServerScript, Wire } from '@ravi/mcp-testing';
import { createScriptedModel } from '@ravi/testkit';
import type { ScriptedModel } from '@ravi/testkit';
import { test } from 'vitest';
import type { SamplingOptions } from '../src/index.ts';
import { completeText, modernScript } from './support/modern-script.ts';
import { openSource } from './support/open-source.ts';
import type { TestSource } from './support/open-source.ts';

const message = (text: string): object => ({ role: 'user', content: { type: 'text', text } });
const question = { messages: [message('How many?')], maxTokens: 50 };
const usage = { inputTokens: 6, outputTokens: 4 };
const three = { text: 'Three.', usage };

/** Server that asks the model once for each entry of the argument `asks`, one after the other, and returns the answers. */
function askingScript(): ServerScript {
  const calls = new Map<string, (reply: ReceivedMessage) => void>();
  let ids = 0;
  const ask = (wire: Wire, params: unknown): Promise<ReceivedMessage> =>
    new Promise((resolve) => {
      const id = `sample-${++ids}`;
      calls.set(id, resolve);
      wire.send({ jsonrpc: '2.0', id, method: 'sampling/createMessage', params });
    });
  return {
    on: {
      any: (reply) => {
        if (reply.method === undefined) calls.get(String(reply.id))?.(reply);
      },
      'tools/call': (call, wire) => {
        void (async () => {
          const { asks = [] } = (call.params?.['arguments'] ?? {}) as { readonly asks?: readonly unknown[] };
          const replies: unknown[] = [];
          for (const params of asks) {
            const { result, error } = (await ask(wire, params)) as { result?: unknown; error?: { message: string } };
            replies.push(result ?? error?.message);
          }
          wire.result(call, { content: [{ type: 'text', text: JSON.stringify(replies) }] });
        })();
      },
    },
  };
}

interface Asking extends AsyncDisposable {
  readonly source: TestSource;
  /** Makes a call during which the server asks the model; returns the answers that it got, in order. */
  ask(...asks: readonly object[]): Promise<readonly unknown[]>;
}

async function openAsking(sampling: SamplingOptions | undefined, script = askingScript()): Promise<Asking> {
  const server = await serveHttp(script);
  const options = { name: 'asker', url: server.url, allowPrivateAddresses: true };
  const source = await openSource(sampling === undefined ? options : { ...options, sampling });
  return {
    source,
    async ask(...asks) {
      const { content } = await source.call('asker__work', { asks: asks as never });
      return JSON.parse((content[0] as { readonly text: string }).text) as unknown[];
    },
    async [Symbol.asyncDispose]() {
      await source[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Model that gives the same answer `times` times. */
const modelOf = (times: number): ScriptedModel => createScriptedModel(Array.from({ length: times }, () => three));

const answer = {
  role: 'assistant',
  model: 'small',
  content: { type: 'text', text: 'Three.' },
  stopReason: 'endTurn',
};

test('a server with permission gets the answer of the model that the operator chose', async () => {
  const provider = modelOf(1);
  await using asking = await openAsking({ provider, model: 'small' });
  const replies = await asking.ask({
    ...question,
    systemPrompt: 'Be brief.',
    modelPreferences: { hints: [{ name: 'large' }] },
  });
  assert.deepEqual(replies, [answer]);
  const [request] = provider.requests;
  assert.deepEqual(
    [request?.model, request?.system, request?.tools, request?.maxOutputTokens, request?.messages],
    ['small', 'Be brief.', [], 50, [{ role: 'user', content: [{ type: 'text', text: 'How many?' }] }]],
  );
});

test('a server gets no longer answer than the options allow', async () => {
  const provider = modelOf(1);
  await using asking = await openAsking({ provider, model: 'small', maxTokens: 20 });
  await asking.ask({ ...question, maxTokens: 1_000_000 });
  assert.equal(provider.requests[0]?.maxOutputTokens, 20);
});

test('a call may ask the model as often as the options say, and the next call again', async () => {
  const provider = modelOf(3);
  await using asking = await openAsking({ provider, model: 'small', requestsPerCall: 2 });
  const [first, second, third] = await asking.ask(question, question, question);
  assert.deepEqual([first, second], [answer, answer]);
  assert.match(String(third), /may not use the model: a call may ask 2 times/);
  assert.deepEqual(await asking.ask(question), [answer]);
  assert.equal(provider.requests.length, 3);
});

test('the budget of a server is used up over all calls, and the model is not asked beyond it', async () => {
  const provider = modelOf(3);
  // A request reserves 50 tokens and 3 for its text; 10 were used by each one that has ended.
  await using asking = await openAsking({ provider, model: 'small', tokensPerDay: 73 });
  assert.deepEqual(await asking.ask(question), [answer]);
  assert.deepEqual(await asking.ask(question), [answer]);
  assert.deepEqual(await asking.ask(question), [answer]);
  const [reply] = await asking.ask(question);
  assert.match(String(reply), /the budget of the server is used up/);
  assert.equal(provider.requests.length, 3);
  // A smaller request still fits.
  const [small] = await asking.ask({ ...question, maxTokens: 1 });
  assert.match(String(small), /the model failed/);
});

const refusals: readonly (readonly [what: string, params: object, words: RegExp])[] = [
  ['with tools', { ...question, tools: [{ name: 'shell', inputSchema: { type: 'object' } }] }, /tools/],
  [
    'with an image',
    { ...question, messages: [{ role: 'user', content: { type: 'image', data: 'AAAA', mimeType: 'image/png' } }] },
    /messages hold text only, not image/,
  ],
  ['without messages', { ...question, messages: [] }, /1 to 100 messages are allowed/],
  [
    'of more than 100,000 characters',
    { ...question, messages: [message('x'.repeat(100_001))] },
    /messages may have 100000 characters/,
  ],
];

for (const [what, params, words] of refusals) {
  test(`a request to the model ${what} is refused, and the model is not asked`, async () => {
    const provider = modelOf(1);
    await using asking = await openAsking({ provider, model: 'small' });
    const [reply] = await asking.ask(params);
    assert.match(String(reply), words);
    assert.equal(provider.requests.length, 0);
  });
}

test('a model that fails is an error for the server, and the call continues', async () => {
  const error = { code: 'E_MODEL', message: 'Overloaded', retryable: true };
  const provider = createScriptedModel([{ error }, three]);
  await using asking = await openAsking({ provider, model: 'small' });
  const [failed, next] = await asking.ask(question, question);
  assert.match(String(failed), /the model failed: Overloaded/);
  assert.deepEqual(next, answer);
});

test('a request that failed before the model answered takes nothing of the budget, one that failed later what had come', async () => {
  const error = { code: 'E_MODEL', message: 'Overloaded', retryable: true };
  const long = 'word '.repeat(16);
  const provider = createScriptedModel([{ error }, { error }, { text: long, error }, three]);
  // A request reserves 50 tokens and 3 for its text; the third one leaves 3 and 20 of the 75.
  await using asking = await openAsking({ provider, model: 'small', tokensPerDay: 75, requestsPerCall: 5 });
  const replies = await asking.ask(question, question, question, question, { ...question, maxTokens: 40 });
  assert.deepEqual(
    replies.map((reply) => /the model failed|the budget of the server is used up/.exec(String(reply))?.[0] ?? reply),
    [...Array.from({ length: 3 }, () => 'the model failed'), 'the budget of the server is used up', answer],
  );
});

test('a server without permission gets the error that there is no such method', async () => {
  await using asking = await openAsking(undefined);
  const [reply] = await asking.ask(question);
  assert.match(String(reply), /Method not found|not support/i);
});

/** Server of version 2026-07-28 that answers with what it wants to ask, and gets the same call again. */
function askingModern(): ServerScript {
  return modernScript({
    on: {
      'tools/call': (call, wire) => {
        const { inputResponses } = (call.params ?? {}) as {
          readonly inputResponses?: Readonly<Record<string, unknown>>;
        };
        if (inputResponses !== undefined) return completeText(call, wire, JSON.stringify([inputResponses['answer']]));
        wire.result(call, {
          resultType: 'input_required',
          inputRequests: { answer: { method: 'sampling/createMessage', params: question } },
        });
      },
    },
  }).script;
}

test('a server of version 2026-07-28 with permission gets the answer with its call', async () => {
  const provider = modelOf(1);
  await using asking = await openAsking({ provider, model: 'small' }, askingModern());
  assert.deepEqual(await asking.ask(), [answer]);
  assert.equal(asking.source.open.remote?.status().protocol, '2026-07-28');
});

test('a call of a server of version 2026-07-28 that asks a model fails without permission, and without budget', async () => {
  const fails =
    (words: RegExp) =>
    (error: unknown): boolean => {
      assert.ok(isKernelError(error, 'E_TOOL_FAILED'), String(error));
      assert.match(error.message, words);
      return true;
    };
  await using without = await openAsking(undefined, askingModern());
  await assert.rejects(without.ask(), fails(/The MCP server may not use a model/));
  const provider = modelOf(1);
  await using poor = await openAsking({ provider, model: 'small', tokensPerDay: 40 }, askingModern());
  await assert.rejects(poor.ask(), fails(/the budget of the server is used up/));
  assert.equal(provider.requests.length, 0);
});
