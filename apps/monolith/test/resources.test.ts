import assert from 'node:assert/strict';
import { tokens } from '@ravi/monolith';
import { afterAll, beforeAll, test } from 'vitest';
import { readEvents } from './support/event-reader.ts';
import type { SentEvent } from './support/event-reader.ts';
import { startServer, stateStoreOf } from './support/server.ts';
import type { Answer, TestServer } from './support/server.ts';

const skill = `---
name: moon-travel
description: How to travel to the moon.
allowed-tools: echo
---
Look before you leap.
`;

// Script of the demo model; the tool records its arguments, and the console line is streamed at once.
const demo = `console.log('before'); const { word } = await tools.echo({ word: 'moon', password: 'hunter2' }); return word;`;

let server: TestServer;
beforeAll(async () => {
  const config = {
    agent: {
      demoScript: './demo.ts',
      budget: { maxTokens: 1_000_000, maxToolCalls: 10 },
      prices: { 'ravi-demo': { input: 1, output: 2 } },
    },
    skills: ['./skills'],
  };
  const files = { 'demo.ts': demo, 'skills/moon-travel/SKILL.md': skill, 'skills/broken/SKILL.md': 'no front matter' };
  server = await startServer(config, files, { isServer: true });
});
afterAll(() => server[Symbol.asyncDispose]());

async function send(method: string, path: string, body?: unknown): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return fetch(`${server.url}${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

async function eventsOf(response: Response): Promise<readonly SentEvent[]> {
  const events: SentEvent[] = [];
  for await (const event of readEvents(response)) events.push(event);
  return events;
}

async function budgets(): Promise<ReadonlyMap<string, Answer['body']>> {
  const { body } = await server.get('/v1/budgets');
  return new Map(body.items.map((item: { readonly name: string }) => [item.name, item]));
}

test('a script is streamed while it runs, and the response names its run', async () => {
  const response = await send('POST', '/v1/chains?stream=1', { code: demo });
  assert.equal(response.status, 200);
  const events = await eventsOf(response);
  const types = events.map(({ event }) => event);
  // Streamed while the script runs: before the next call.
  assert.ok(types.indexOf('console') < types.indexOf('tool-call'), types.join(' '));
  assert.equal(types.at(-1), 'run-end');
  const [, runId] = /^\/v1\/runs\/(.+)\/events$/.exec(response.headers.get('content-location') ?? '') ?? [];
  const { body: run } = await server.get(`/v1/runs/${runId}`);
  assert.deepEqual([run.outcome.result.value, run.logs], ['moon', [{ level: 'log', text: 'before' }]]);
});

test('run events have the redacted arguments of each call and the cost of each response', async () => {
  const started = await server.post('/v1/runs', { kind: 'agent', task: 'demo' });
  await eventsOf(await fetch(`${server.url}/v1/runs/${started.body.id}/events`));
  const { body: run } = await server.get(`/v1/runs/${started.body.id}`);
  assert.equal(run.cost, 0);
  const [outer, inner] = run.trace;
  assert.deepEqual([outer.tool, inner.tool, inner.parentId], ['tool_chain', 'echo', outer.callId]);
  assert.equal(inner.argsPreview, '{"word":"moon","password":"[redacted]"}');
  assert.ok(inner.bytes > 0);
  assert.deepEqual(run.logs, [{ level: 'log', text: 'before', parentId: outer.callId }]);
});

test('the full text of a cut result is an artifact of its run, and is kept', async () => {
  const { body } = await server.chain('return "x".repeat(2_000_000)');
  const { artifactRef } = body.whole;
  const { container } = server.monolith;
  await container.resolve(tokens.blobStore).sweep(container.resolve(tokens.clock).now());
  const { body: artifacts } = await server.get(`/v1/artifacts?runId=${body.runId}`);
  assert.deepEqual(
    artifacts.items.map(({ ref }: { ref: string }) => ref),
    [artifactRef],
  );
});

test('skills are listed without their path, and a broken skill hides no other', async () => {
  const { body } = await server.get('/v1/skills');
  assert.deepEqual(body.items, [
    {
      name: 'moon-travel',
      kind: 'skill',
      description: 'How to travel to the moon.',
      version: '1.0.0',
      allowedTools: ['echo'],
      agents: [{ name: 'ravi', state: 'offered' }],
      warnings: [],
    },
  ]);
  const { body: tools } = await server.get('/v1/tools');
  assert.ok(tools.items.some(({ name }: { name: string }) => name === 'activate_skill'));
});

test('budgets count the calls of models and of scripts, each against its own limit', async () => {
  const before = await budgets();
  await server.chain("await tools.echo({ word: 'a' }); await tools.echo({ word: 'b' });");
  const ofScript = await budgets();
  assert.equal(ofScript.get('Calls by scripts today').used, (before.get('Calls by scripts today')?.used ?? 0) + 2);
  const started = await server.post('/v1/runs', { kind: 'chain', code: "await tools.echo({ word: 'c' });" });
  await eventsOf(await fetch(`${server.url}/v1/runs/${started.body.id}/events`));
  const script = (await budgets()).get(`Calls by the script (maxScriptCalls) of ${started.body.id}`);
  assert.deepEqual([script.used, script.limit], [1, 50]);

  const { body: run } = await server.post('/v1/runs', { kind: 'agent', task: 'demo' });
  await eventsOf(await fetch(`${server.url}/v1/runs/${run.id}/events`));
  const all = await budgets();
  const units = [...all.values()].filter(({ scope }) => scope === 'principal').map(({ unit }) => unit);
  assert.deepEqual(units, ['tokens', 'cost', 'calls', 'calls']);
  const byModel = all.get(`Calls by the model (maxToolCalls) of ${run.id}`);
  assert.deepEqual([byModel.used, byModel.limit], [1, 10]);
  const byItsScript = all.get(`Calls by the largest script (maxScriptCalls) of ${run.id}`);
  assert.deepEqual([byItsScript.used, byItsScript.limit], [1, 50]);
  assert.equal(all.get(`Tokens (maxTokens) of ${run.id}`).limit, 1_000_000);
});

test('a script that ran well is saved, run by its name, seen by the agent, and deleted', async () => {
  const code = 'return (await tools.echo({ word: input.word })).word';
  const inputSchema = { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] };
  const saved = await send('PUT', '/v1/snippets/say', {
    description: 'Says it.',
    code,
    inputSchema,
    input: { word: 'a' },
  });
  assert.equal(saved.status, 201, await saved.clone().text());
  const { version, sourceRunId } = (await saved.json()) as { version: number; sourceRunId: string };
  assert.equal(version, 1);
  const again = await send('PUT', '/v1/snippets/say', {
    description: 'Says it again.',
    runId: sourceRunId,
    inputSchema,
  });
  assert.equal(((await again.json()) as { version: number }).version, 2);

  const { body: listed } = await server.get('/v1/snippets');
  assert.deepEqual(
    listed.items.map(({ name, version: newest, tools }: { name: string; version: number; tools: string[] }) => [
      name,
      newest,
      tools,
    ]),
    [['say', 2, ['echo']]],
  );
  const { body: snippet } = await server.get('/v1/snippets/say?version=1');
  assert.deepEqual([snippet.code, snippet.description, snippet.versions], [code, 'Says it.', [1, 2]]);
  const ran = await server.post('/v1/snippets/say/run', { input: { word: 'moon' } });
  assert.deepEqual([ran.status, ran.body.value], [200, 'moon']);
  const called = await server.post('/v1/tools/say', { args: { word: 'sun' } });
  assert.match(called.body.text, /sun/);

  assert.equal((await send('DELETE', '/v1/snippets/say')).status, 204);
  assert.equal((await send('DELETE', '/v1/snippets/say')).status, 404);
  assert.equal((await server.get('/v1/snippets/say')).status, 404);
  assert.equal((await server.get('/v1/tools/say')).status, 404);
});

test('an invalid snippet is refused with a reason', async () => {
  const put = async (body: object): Promise<[number, string]> => {
    const response = await send('PUT', '/v1/snippets/bad', { description: 'Bad.', ...body });
    return [response.status, ((await response.json()) as { error: { code: string } }).error.code];
  };
  assert.deepEqual(await put({}), [400, 'E_REQUEST_INVALID']);
  assert.deepEqual(await put({ code: 'return 1', runId: 'run_1' }), [400, 'E_REQUEST_INVALID']);
  assert.deepEqual(await put({ runId: 'run_1' }), [404, 'E_RUN_NOT_FOUND']);
  assert.deepEqual(await put({ code: 'throw new Error("no")' }), [422, 'E_SNIPPET_INVALID']);
  const taken = await send('PUT', '/v1/snippets/echo', { description: 'x', code: 'return 1' });
  assert.equal(taken.status, 409);

  // The sandbox of this server does not run Python, and Python is never replayed.
  for (const [path, body] of [
    ['/v1/chains', { code: '1', language: 'python' }],
    ['/v1/chains?stream=1', { code: '1', language: 'python' }],
    ['/v1/runs', { kind: 'chain', code: '1', language: 'python' }],
  ] as const) {
    const refused = await server.post(path, body);
    assert.deepEqual([refused.status, refused.body.error.code], [422, 'E_UNSUPPORTED'], path);
    assert.match(refused.body.error.message, /not python; install @ravi\/sandbox-pyodide/, path);
  }

  await send('PUT', '/v1/snippets/plain', { description: 'One.', code: 'return 1' });
  const wrong = await server.post('/v1/snippets/plain/run', { input: { word: 'x' } });
  assert.deepEqual([wrong.status, wrong.body.error.code], [400, 'E_ARGUMENTS_INVALID']);
  assert.deepEqual((await server.post('/v1/snippets/plain/run', {})).body.value, 1);
});

test('a stored job without a process is cancelled, and an ended job is not', async () => {
  const { jobs } = stateStoreOf(server.monolith);
  const about = { principal: 'local', sessionId: 'session-1', kind: 'crawl', createdAt: 1 };
  await jobs.create({ ...about, id: 'stored-job' });
  const cancelled = await server.post('/v1/jobs/stored-job/cancel', {});
  assert.deepEqual([cancelled.status, cancelled.body.status], [202, 'cancelled']);
  assert.equal((await server.post('/v1/jobs/stored-job/cancel', {})).status, 409);
  assert.equal((await server.post('/v1/jobs/unknown-job/cancel', {})).status, 404);
});

const crawlTool = `
export default {
  name: 'crawl', description: 'Reads a site.', risk: 'safe', mode: 'background', inputSchema: { type: 'object' },
  execute: (_args, { signal }) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
};`;

// Starts the crawl, waits for its result, and repeats it.
const model = `
const usage = { inputTokens: 1_000, outputTokens: 100 };
export default {
  name: 'model', port: 'modelProvider', configSchema: { type: 'object', additionalProperties: false },
  create: () => ({
    id: 'crawler',
    async *stream({ messages }) {
      const said = messages.flatMap(({ content }) => content).filter(({ type }) => type === 'text');
      const isFirst = messages.length === 1;
      if (isFirst) yield { type: 'block', block: { type: 'tool_use', id: 'c1', name: 'crawl', arguments: {} } };
      else yield { type: 'block', block: { type: 'text', text: said.at(-1)?.text ?? '' } };
      yield { type: 'finish', reason: isFirst ? 'tool-use' : 'end', usage };
    },
  }),
};`;

test('a running job is cancelled, its run continues with a notice, and its responses have their cost', async () => {
  const config = {
    agent: { prices: { crawler: { input: 2, output: 10 } } },
    plugins: { modelProvider: [{ use: './model.mjs' }] },
  };
  const files = { 'model.mjs': model, 'tools/crawl.mjs': crawlTool };
  await using crawling = await startServer(config, files, { isServer: true });
  const { body: begun } = await crawling.post('/v1/runs', { kind: 'agent', task: 'crawl' });
  for await (const { event, data } of readEvents(await fetch(`${crawling.url}/v1/runs/${begun.id}/events`))) {
    // The second response waits for the job.
    if (event !== 'model-end' || JSON.parse(data).data.step !== 2) continue;
    // Jobs are stored after their runs.
    const job = async () => (await crawling.get(`/v1/jobs?runId=${begun.id}`)).body.items[0];
    while ((await job())?.status !== 'running');
    const { id } = await job();
    assert.equal((await crawling.post(`/v1/jobs/${id}/cancel`, {})).status, 202);
  }
  const { body: run } = await crawling.get(`/v1/runs/${begun.id}`);
  assert.equal(run.status, 'completed');
  assert.match(run.outcome.result.text, /crawl \(call c1\) is cancelled:\nThe job was cancelled/);
  assert.equal(run.steps, 3);
  assert.equal(Math.round(1_000 * run.cost), 9);
  const { body: jobs } = await crawling.get(`/v1/jobs?runId=${begun.id}&status=cancelled`);
  assert.equal(jobs.items.length, 1);
});
