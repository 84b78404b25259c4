import assert from 'node:assert/strict';
import { openMonolith, serve } from '@ravi/monolith';
import type { RaviConfig } from '@ravi/host';
import { test } from 'vitest';
import { createInstallation } from './support/installation.ts';
import { send, until } from './support/run-requests.ts';
import type { Body } from './support/run-requests.ts';
import { startServer } from './support/server.ts';
import type { TestServer } from './support/server.ts';
import { startBundled } from './support/server-process.ts';

/**
 * A model with a context of 8000 tokens, which refuses longer requests. It calls `echo` with long arguments as often as its task
 * says, then `crash` if that is a tool, and ends with what happened in this process.
 */
const smallModel = `
const contextTokens = 8_000;
let summaries = 0;
let refusals = 0;
let longest = 0;
async function* stream({ system = '', messages, tools }) {
  const inputTokens = Math.ceil(JSON.stringify({ system, messages, tools }).length / 4);
  if (inputTokens > contextTokens) {
    refusals++;
    yield { type: 'error', error: { code: 'E_MODEL_CONTEXT_EXCEEDED', message: 'maximum context length', retryable: false } };
    return;
  }
  const say = (text) => ({ type: 'block', block: { type: 'text', text } });
  const usage = { inputTokens, outputTokens: 100 };
  const known = JSON.stringify(messages);
  if (system.startsWith('You summarize')) {
    summaries++;
    const [, done] = known.match(/so far: (\\d+)/) ?? [undefined, '0'];
    const calls = Number(done) + (known.match(/\\\\"call\\\\":\\\\"echo\\\\"/g) ?? []).length;
    yield say('Task: ' + known.match(/calls=\\d+/)?.[0] + '. Calls so far: ' + calls);
    yield { type: 'finish', reason: 'end', usage };
    return;
  }
  longest = Math.max(longest, inputTokens);
  const wanted = Number(known.match(/calls=(\\d+)/)?.[1] ?? 0);
  const ofSummary = Number(known.match(/so far: (\\d+)/)?.[1] ?? 0);
  const done = ofSummary + messages.flatMap(({ content }) => content).filter(({ type, name }) => type === 'tool_use' && name === 'echo').length;
  const hasCrashed = known.includes('"name":"crash"');
  if (done < wanted) {
    yield { type: 'block', block: { type: 'tool_use', id: 'call_' + done, name: 'echo', arguments: { text: 'word '.repeat(300) } } };
    yield { type: 'finish', reason: 'tool-use', usage };
  } else if (tools.some(({ name }) => name === 'crash') && !hasCrashed) {
    yield { type: 'block', block: { type: 'tool_use', id: 'crash_1', name: 'crash', arguments: {} } };
    yield { type: 'finish', reason: 'tool-use', usage };
  } else {
    yield say(JSON.stringify({ done, summaries, refusals, longest, isSummarized: known.includes('Summary of the conversation') }));
    yield { type: 'finish', reason: 'end', usage };
  }
}
const create = () => ({ id: 'small', model: 'small', stream });
export default { name: 'small', port: 'modelProvider', configSchema: { type: 'object', additionalProperties: false }, create };
`;

const crashTool = `
export default {
  name: 'crash', description: 'Ends the process.', risk: 'high', inputSchema: { type: 'object' },
  async execute() { process.kill(process.pid, 'SIGKILL'); await new Promise(() => {}); },
};`;

const contextTokens = 8_000;

function configOf(agent: RaviConfig['agent'], entry: object = {}): RaviConfig {
  return {
    policy: { maxRiskUnapproved: 'high' },
    agent: { system: 'You call tools.', ...agent },
    plugins: { modelProvider: [{ use: './model.mjs', ...entry }] },
  };
}

function open(agent: RaviConfig['agent'], entry: object = {}): Promise<TestServer> {
  return startServer(configOf(agent, entry), { 'model.mjs': smallModel }, { isServer: true });
}

async function run(url: string, task: string, more: object = {}): Promise<Body> {
  const { id, sessionId } = await send(url, '/v1/runs', { kind: 'agent', task, ...more });
  return { ...(await until(url, id, 'run-end')), id, sessionId };
}

test('a conversation near the size of the context is summarized before the model refuses it, and stays whole in its history', async () => {
  await using server = await open({}, { contextTokens });
  const ended = await run(server.url, 'Please: calls=12');
  assert.equal(ended.status, 'completed', JSON.stringify(ended));
  const seen = JSON.parse(ended.text);
  assert.deepEqual([seen.done, seen.refusals, seen.isSummarized], [12, 0, true], ended.text);
  assert.ok(seen.summaries >= 1 && seen.summaries <= 6, ended.text);
  assert.ok(seen.longest <= contextTokens * 0.8, ended.text);

  const { items } = await send(server.url, `/v1/sessions/${ended.sessionId}/history?limit=100`);
  const messages = items.filter(({ message }: Body) => message.content.length > 0);
  assert.equal(messages.length, 1 + 2 * 12 + 1);
  const stored = items.filter(({ details }: Body) => details?.summary !== undefined);
  assert.ok(stored.length >= 1 && stored.length <= seen.summaries);
  assert.match(stored[0].details.summary.text, /calls=12\. Calls so far: \d/);
  // The tokens of the summaries are part of the run.
  const outputTokens = 100 * (13 + seen.summaries);
  assert.equal(ended.usage.outputTokens, outputTokens);
  // The record has each request as the model received it.
  const { items: exchanges } = await send(server.url, `/v1/runs/${ended.id}/exchanges?limit=100`);
  assert.equal(exchanges.length, 13 + seen.summaries);
  assert.match(JSON.stringify(exchanges.at(-1)), /Summary of the conversation so far/);

  // A later run of the conversation begins with the stored summary.
  const next = await run(server.url, 'calls=0', { sessionId: ended.sessionId });
  assert.equal(JSON.parse(next.text).summaries, seen.summaries);
});

test('a model of unknown size that refuses a request gets a shorter one, once for each growth', async () => {
  await using server = await open({});
  const ended = await run(server.url, 'Please: calls=12');
  assert.equal(ended.status, 'completed', JSON.stringify(ended));
  const seen = JSON.parse(ended.text);
  assert.deepEqual([seen.done, seen.isSummarized], [12, true]);
  // The refusal is remembered, so that the next summary comes before one.
  assert.equal(seen.refusals, 1, ended.text);
  assert.ok(seen.summaries >= 2, ended.text);
});

test('compaction false sends every request as it is, for one agent too, and the budget of a run pays for its summaries', async () => {
  await using server = await startServer(
    {
      ...configOf({ compaction: false }, { contextTokens }),
      agents: {
        brief: { compaction: { maxTokens: 6_000, keepTokens: 500 } },
        poor: { compaction: { maxTokens: 6_000 }, budget: { maxTokens: 30_000 } },
      },
    },
    { 'model.mjs': smallModel },
    { isServer: true },
  );
  const refused = await run(server.url, 'calls=12');
  assert.deepEqual([refused.status, refused.error?.code], ['failed', 'E_MODEL_CONTEXT_EXCEEDED']);
  const brief = await run(server.url, 'calls=12', { agent: 'brief' });
  assert.equal(brief.status, 'completed', JSON.stringify(brief));
  assert.ok(JSON.parse(brief.text).isSummarized);
  const poor = await run(server.url, 'calls=12', { agent: 'poor' });
  assert.deepEqual([poor.status, poor.reason], ['stopped', 'budget']);
  assert.ok(poor.usage.inputTokens + poor.usage.outputTokens <= 30_000);
});

/** Every fourth call marks the conversation of its caller. */
const marking = `
let calls = 0;
export default {
  name: 'echo', description: 'Repeats.', risk: 'safe', inputSchema: { type: 'object' },
  async execute(args, { run }) {
    if (++calls % 4 === 0 || args.mark) run.compact();
    return { content: [{ type: 'text', text: JSON.stringify(args) }], isError: false };
  },
};`;

test('a tool marks a conversation as ready for compaction, and the next request has a summary', async () => {
  await using server = await startServer(
    { ...configOf({}), agents: { whole: { compaction: false } } },
    { 'model.mjs': smallModel, 'tools/echo.mjs': marking },
    { isServer: true },
  );
  const ended = await run(server.url, 'calls=6');
  assert.equal(ended.status, 'completed', JSON.stringify(ended));
  const seen = JSON.parse(ended.text);
  assert.deepEqual([seen.done, seen.summaries, seen.refusals, seen.isSummarized], [6, 1, 0, true], ended.text);
  // The next run of the conversation begins with the summary, although all of it would fit.
  const next = JSON.parse((await run(server.url, 'calls=0', { sessionId: ended.sessionId })).text);
  assert.deepEqual([next.summaries, next.isSummarized], [1, true]);

  const direct = await server.post('/v1/tools/echo', { args: { mark: true } });
  assert.deepEqual([direct.body.status, direct.body.error.code], ['error', 'E_UNSUPPORTED']);
  const whole = await run(server.url, 'calls=1', { agent: 'whole' });
  const { trace } = (await server.get(`/v1/runs/${whole.id}`)).body;
  assert.deepEqual(
    trace.map(({ errorCode }: Body) => errorCode),
    ['E_UNSUPPORTED'],
  );
});

test('the next server continues a killed run with the stored summary', { timeout: 90_000 }, async () => {
  await using installation = await createInstallation(configOf({}, { contextTokens }), {
    'model.mjs': smallModel,
    'tools/crash.mjs': crashTool,
  });
  using first = startBundled(installation.folder);
  const { id: runId } = await send(await first.url(), '/v1/runs', { kind: 'agent', task: 'calls=10' });
  await first.exit;

  const { folder: cwd, configPath } = installation;
  await using monolith = await openMonolith({ cwd, configPath, env: {}, isServer: true });
  await using server = await serve(monolith, { port: 0, graceMs: 0 });
  const ended = await until(server.url, runId, 'run-end');
  assert.equal(ended.status, 'completed', JSON.stringify(ended));
  // The counters of the model are those of this process.
  const seen = JSON.parse(ended.text);
  assert.deepEqual([seen.done, seen.summaries, seen.isSummarized], [10, 0, true], ended.text);
});

test('limits of a compaction that contradict each other are refused at their place', async () => {
  await assert.rejects(
    open({ compaction: { maxTokens: 1_000, keepTokens: 1_000 } }),
    /agent\.compaction\.keepTokens is 1000, not below its maxTokens/,
  );
});
