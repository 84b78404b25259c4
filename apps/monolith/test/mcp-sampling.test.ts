import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { RaviConfig } from '@ravi/host';
import { test } from 'vitest';
import { startServer } from './support/server.ts';
import type { TestServer } from './support/server.ts';

// A real server from npm, through the configuration, the container and the invoker.
const resolved = createRequire(import.meta.url);
const root = dirname(resolved.resolve('@modelcontextprotocol/server-everything/package.json'));
const tool = 'everything__trigger-sampling-request';

// A model that writes down each request.
const model = `
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
export default {
  name: 'mock', port: 'modelProvider', configSchema: { type: 'object' },
  create: ({ model }) => ({
    id: 'mock', model,
    async *stream(request) {
      appendFileSync(join(import.meta.dirname, 'requests.jsonl'), JSON.stringify(request) + '\\n');
      yield { type: 'block', block: { type: 'text', text: 'Answer of ' + request.model } };
      yield { type: 'finish', reason: 'end', usage: { inputTokens: 7, outputTokens: 4 } };
    },
  }),
};`;

function start(sampling: object | undefined, config: RaviConfig = {}): Promise<TestServer> {
  const everything = {
    use: '@ravi/mcp',
    name: 'everything',
    command: process.execPath,
    args: [join(root, 'dist/index.js')],
    risk: { '*': 'safe' },
    ...(sampling === undefined ? {} : { sampling }),
  };
  const modelProvider = [
    { use: './model.mjs', model: 'large' },
    { use: './model.mjs', model: 'small' },
  ];
  const plugins = { toolSource: [everything], modelProvider };
  return startServer({ ...config, plugins }, { 'model.mjs': model }, { isServer: true });
}

interface Asked {
  readonly model: string;
  readonly maxOutputTokens: number;
  readonly tools: readonly unknown[];
}

async function requestsOf({ installation }: TestServer): Promise<readonly Asked[]> {
  const text = await readFile(join(installation.folder, 'requests.jsonl'), 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Asked);
}

const call = (maxTokens: number): string => `await tools['${tool}'].safe({ prompt: 'Hello', maxTokens: ${maxTokens} })`;

test('server-everything asks the configured model, with the limits of its entry, and the trace of the run has it', async () => {
  await using server = await start({ model: 'small', maxTokens: 20 });
  const { body } = await server.chain(`return (${call(500)}).text`);
  assert.match(String(body.value), /Answer of small/, JSON.stringify(body));
  const [asked, ...others] = await requestsOf(server);
  assert.deepEqual([asked?.model, asked?.maxOutputTokens, asked?.tools, others.length], ['small', 20, [], 0]);
  const events = await (await fetch(`${server.url}/v1/runs/${body.runId}/events`)).text();
  const [, lent = '{}'] = /^event: model-lent\ndata: (.*)$/m.exec(events) ?? [];
  const { data } = JSON.parse(lent) as { readonly data?: object };
  const usage = { inputTokens: 7, outputTokens: 4 };
  assert.deepEqual(data, { callId: 'call_1', tool, provider: 'mock', model: 'small', usage }, events);
}, 60_000);

test('the budget of a day is checked before the model is asked', async () => {
  // The first request reserves 30 tokens and some for its text, and costs 11; a second one does not fit.
  await using server = await start({ model: 'small', maxTokens: 30, tokensPerDay: 50 });
  const { body } = await server.chain(`const first = ${call(30)}; const second = ${call(45)}; return [first, second]`);
  const [first, second] = body.value as readonly { readonly text: string }[];
  assert.match(first?.text ?? '', /Answer of small/);
  assert.match(JSON.stringify(second), /the budget of the server is used up/);
  assert.equal((await requestsOf(server)).length, 1);
}, 60_000);

test('the budget of the caller is reserved before the model is asked for a server', async () => {
  const budgets = { perPrincipal: { maxTokensPerDay: 50 } };
  await using server = await start({ model: 'small', maxTokens: 30 }, { budgets });
  const { body } = await server.chain(`const first = ${call(30)}; const second = ${call(45)}; return [first, second]`);
  const [first, second] = body.value as readonly { readonly text: string }[];
  assert.match(first?.text ?? '', /Answer of small/);
  // The server does not learn whose budget it is.
  assert.match(JSON.stringify(second), /no budget is left for it/);
  assert.doesNotMatch(JSON.stringify(second), /perPrincipal/);
  assert.equal((await requestsOf(server)).length, 1);
  // The call does not wait until its usage is stored.
  const tokensToday = async () => {
    const { items } = (await server.get('/v1/budgets')).body;
    return items.find(({ name }: { readonly name: string }) => name.includes('maxTokensPerDay'));
  };
  let tokens = await tokensToday();
  while (tokens.reserved > 0) tokens = await tokensToday();
  assert.equal(tokens.used, 11);
}, 60_000);

test('without an entry for it, server-everything does not offer to ask a model', async () => {
  await using server = await start(undefined);
  const { body } = await server.get('/v1/tools');
  const names = (body.items as readonly { readonly name: string }[]).map(({ name }) => name);
  assert.ok(names.includes('everything__echo') && !names.includes(tool));
}, 60_000);

test('a model that is not configured stops the start, and the message names those that are', async () => {
  await assert.rejects(
    start({ model: 'huge' }),
    /sampling\.model names "huge", the configured models are large, small/,
  );
  await assert.rejects(start({ model: 'small', tokens: 1 }), /tokens/);
  await assert.rejects(start({ maxTokens: 1 }), /model/);
});
