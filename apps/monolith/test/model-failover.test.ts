import assert from 'node:assert/strict';
import type { RaviConfig } from '@ravi/host';
import { startLoopbackServer } from '@ravi/testkit';
import type { LoopbackAnswer, LoopbackServer } from '@ravi/testkit';
import { test } from 'vitest';
import { readEvents } from './support/event-reader.ts';
import { startServer } from './support/server.ts';
import type { TestServer } from './support/server.ts';

const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const said = (text: string): LoopbackAnswer => ({
  body: [chunk({ content: text }), chunk({}, 'stop'), 'data: [DONE]\n\n'],
});

const failure = (status: number, code: string, message = 'no'): LoopbackAnswer => ({
  status,
  body: { error: { code, message } },
});

function serverWith(
  models: readonly LoopbackServer[],
  agent: object = {},
  { limits = [], ...more }: Pick<RaviConfig, 'agents'> & { readonly limits?: readonly (object | undefined)[] } = {},
): Promise<TestServer> {
  const entry = ({ url }: LoopbackServer, at: number) => ({
    use: '@ravi/provider-openai',
    id: `model-${at}`,
    model: 'm',
    baseUrl: `${url}/v1`,
    ...(limits[at] && { limits: limits[at] }),
  });
  const config = {
    ...more,
    agent: { modelRetries: 1, maxModelRetryDelayMs: 0, ...agent },
    plugins: { modelProvider: models.map(entry) },
  };
  return startServer(config, {}, { isServer: true });
}

/** Runs a task over HTTP and returns the run with its events. */
async function run(server: TestServer, more: object = {}) {
  const { body: started } = await server.post('/v1/runs', { kind: 'agent', task: 'Say hello', ...more });
  const events: { readonly type: string | undefined; readonly data: Record<string, unknown> }[] = [];
  for await (const { event, data } of readEvents(await fetch(`${server.url}/v1/runs/${started.id}/events`)))
    events.push({ type: event, data: JSON.parse(data).data });
  const { body } = await server.get(`/v1/runs/${started.id}`);
  return { events, body };
}

const classes: readonly (readonly [what: string, failure: LoopbackAnswer])[] = [
  ['a wrong key', failure(401, 'invalid_api_key')],
  ['an empty account', failure(429, 'insufficient_quota')],
  ['a rate limit', failure(429, 'rate_limit_exceeded')],
  ['an exceeded context', failure(400, 'context_length_exceeded')],
  ['a refused request', failure(400, 'invalid_request_error')],
  ['an overload', failure(529, 'overloaded_error')],
  ['an internal error', failure(500, 'server_error')],
  ['an unknown error inside a stream', { body: 'data: {"error":{"code":"odd","message":"no"}}\n\n' }],
  ['a page of a gateway', { headers: { 'content-type': 'text/html' }, body: '<html>no</html>' }],
  ['a broken connection', { body: '', breaks: true }],
];
for (const [what, first] of classes) {
  test(`after ${what} of the first configured model the second one answers`, async () => {
    await using broken = await startLoopbackServer(() => first);
    await using working = await startLoopbackServer(() => said('Hello'));
    await using server = await serverWith([broken, working]);
    const { body } = await run(server);
    assert.deepEqual([body.status, body.outcome.result.text], ['completed', 'Hello']);
    assert.deepEqual([broken.requests.length, working.requests.length], [1, 1]);
  });
}

test('each provider has its limits, and a request goes through the list of its agent until one answers', async () => {
  await using limited = await startLoopbackServer(() => said('limited'));
  await using busy = await startLoopbackServer(() => failure(429, 'rate_limit_exceeded'));
  await using broken = await startLoopbackServer(() => failure(500, 'server_error'));
  await using working = await startLoopbackServer(() => said('working'));
  const models = [limited, busy, broken, working];
  const once = { requestsPerMinute: 1, maxWaitMs: 0 };
  const agents = { careful: { model: ['model-3', 'model-0'] } };
  await using server = await serverWith(
    models,
    { modelRetries: 0 },
    { agents, limits: [once, once, undefined, { requestsPerMinute: 2, maxWaitMs: 0 }] },
  );
  const counts = (): readonly number[] => models.map(({ requests }) => requests.length);
  const textOf = async (more: object = {}): Promise<string> => (await run(server, more)).body.outcome.result.text;
  assert.equal(await textOf(), 'limited');
  assert.deepEqual(counts(), [1, 0, 0, 0]);
  // The first has reached its limit, and the next two fail.
  assert.equal(await textOf(), 'working');
  assert.deepEqual(counts(), [1, 1, 1, 1]);
  assert.equal(await textOf({ agent: 'careful' }), 'working');
  // No provider of its list has a request left, and none is asked.
  const { body } = await run(server, { agent: 'careful' });
  assert.deepEqual([body.status, body.error.code], ['failed', 'E_MODEL_RATE_LIMITED']);
  assert.match(body.error.message, /model-3: .*requestsPerMinute; model-0: .*requestsPerMinute/);
  assert.deepEqual(counts(), [1, 1, 1, 2]);
});

test('an address where nothing listens fails over, and the failed model is asked last while it cools down', async () => {
  const gone = await startLoopbackServer(() => said('never'));
  await gone[Symbol.asyncDispose]();
  await using working = await startLoopbackServer(() => said('Hello'));
  await using server = await serverWith([gone, working], { modelCooldownMs: 600_000 });
  for (let at = 0; at < 2; at++) assert.equal((await run(server)).body.status, 'completed');
  assert.equal(working.requests.length, 2);
});

test('a failure in the middle of a response is retried with the next model, and the run shows the attempt', async () => {
  await using broken = await startLoopbackServer(() => ({ body: [chunk({ content: 'Hel' })], breaks: true }));
  await using working = await startLoopbackServer(() => said('Hello'));
  await using server = await serverWith([broken, working]);
  const { body, events } = await run(server);
  assert.deepEqual([body.status, body.outcome.result.text], ['completed', 'Hello']);
  const retry = events.find(({ type }) => type === 'model-retry');
  assert.ok(retry);
  const { attempt, error } = retry.data as { readonly attempt: number; readonly error: { readonly code: string } };
  assert.deepEqual([attempt, error.code], [1, 'E_MODEL_TRUNCATED']);
});

test('attempts of agent and provider do not multiply, and the error names each model', async () => {
  await using first = await startLoopbackServer(() => failure(529, 'overloaded_error', 'first is busy'));
  await using second = await startLoopbackServer(() => failure(401, 'invalid_api_key', 'who?'));
  await using server = await serverWith([first, second], { modelRetries: 2 });
  const { body, events } = await run(server);
  assert.deepEqual([body.status, body.error.code], ['failed', 'E_MODEL_OVERLOADED']);
  assert.match(body.error.message, /model-0: .*first is busy.*model-1: .*who\?.*\(after 3 attempts\)$/u);
  assert.deepEqual([first.requests.length, second.requests.length], [3, 3]);
  assert.equal(events.filter(({ type }) => type === 'model-retry').length, 2);
});

test('an unreachable model fails with its address and cause after three attempts', async () => {
  const gone = await startLoopbackServer(() => said('never'));
  await gone[Symbol.asyncDispose]();
  await using server = await serverWith([gone], { modelRetries: 9 });
  const { body, events } = await run(server);
  assert.equal(body.error.code, 'E_MODEL_UNREACHABLE');
  const address = new URL(gone.url).host;
  assert.ok(body.error.message.startsWith(`The model provider at ${address} cannot be reached (ECONNREFUSED`));
  assert.equal(events.filter(({ type }) => type === 'model-retry').length, 2);
});
