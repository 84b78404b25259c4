import assert from 'node:assert/strict';
import { collectAnswer, createFakeClock, startLoopbackServer } from '@ravi/testkit';
import type { LoopbackAnswer } from '@ravi/testkit';
import { test } from 'vitest';
import { createHttpModel } from '../src/index.ts';
import { echoing, question } from './echoing.ts';
import type { EchoOptions } from './echoing.ts';

/** Returns the error and the number of requests of a server that sends these responses in turn. */
async function asked(responses: readonly LoopbackAnswer[], options: EchoOptions = {}) {
  let count = 0;
  await using server = await startLoopbackServer(
    () => responses[Math.min(count++, responses.length - 1)] as LoopbackAnswer,
  );
  const read = await collectAnswer(createHttpModel(echoing(server.url, { maxRetryDelayMs: 0, ...options })), question);
  return { ...read, requests: server.requests.length };
}

test('an error that is the first event of a 200 response is retried, and one after output is not', async () => {
  const failing = { body: 'event: error\ndata: busy\n\n' };
  const retried = await asked([failing, failing, { body: 'data: x\n\n' }], { maxRetries: 2 });
  assert.deepEqual([retried.error, retried.requests], [undefined, 3]);
  const broken = await asked([{ body: 'data: x\n\nevent: error\ndata: busy\n\n' }], { maxRetries: 2 });
  assert.deepEqual([broken.error?.retryable, broken.requests], [true, 1]);
});

test('a caller that retries itself gets one attempt', async () => {
  await using server = await startLoopbackServer(() => ({ status: 529, body: 'busy' }));
  const model = createHttpModel(echoing(server.url, { maxRetries: 5, maxRetryDelayMs: 0 }));
  const options = { signal: new AbortController().signal, maxRetries: 0 };
  for await (const event of model.stream(question, options)) assert.equal(event.type, 'error');
  assert.equal(server.requests.length, 1);
});

test('a request that starts a job is repeated only if the job certainly did not start', async () => {
  let count = 0;
  const answers: LoopbackAnswer[] = [{ status: 429, body: 'slow' }, { body: 'event: error\ndata: broke\n\n' }];
  await using server = await startLoopbackServer(() => answers[Math.min(count++, 1)] as LoopbackAnswer);
  const options = echoing(server.url, { maxRetries: 5, maxRetryDelayMs: 0 });
  const model = createHttpModel({
    ...options,
    encode: async (request) => ({ ...(await options.encode(request)), startsJob: true }),
  });
  const { error } = await collectAnswer(model, question);
  assert.deepEqual([error?.retryable, server.requests.length], [false, 2]);
  assert.match(error?.message ?? '', /the job may run, so the request is not repeated/u);
});

test('requests, responses and error bodies have limits in bytes', async () => {
  const large = 'x'.repeat(5000);
  const request = await asked([{ body: '' }], { maxRequestBytes: 1 });
  assert.deepEqual([request.error?.code, request.requests], ['E_MODEL_REFUSED_REQUEST', 0]);
  assert.match(request.error?.message ?? '', /has 2 bytes, more than the limit of 1 \(maxRequestBytes\)/u);
  for (const body of [`data: ${large}\n\n`, { text: large }]) {
    const { error } = await asked([{ body }], { maxResponseBytes: 4000 });
    assert.deepEqual([error?.code, error?.retryable], ['E_MODEL_PROTOCOL', false]);
    assert.match(error?.message ?? '', /longer than the limit of 4000 bytes \(maxResponseBytes\)/u);
  }
  const refused = await asked([{ status: 400, body: `no ${large}`, hangs: true }], { maxErrorBytes: 10 });
  assert.match(refused.error?.message ?? '', /responded with 400: no xxxxxxx$/u);
});

const kept: readonly (readonly [what: string, first: string, keepAlive: string])[] = [
  ['comments', 'data: x\n\n', ': OPENROUTER PROCESSING\n\n'],
  ['pings', 'data: x\n\n', 'event: ping\ndata: {"type": "ping"}\n\n'],
  ['white space of a whole body', '{"text":', '\n   \n'],
];
for (const [what, first, keepAlive] of kept) {
  test(`${what} do not restart the idle timeout`, async () => {
    const clock = createFakeClock();
    const pieces = Array.from({ length: 20 }, () => keepAlive);
    await using server = await startLoopbackServer(() => ({ body: [first, ...pieces], hangs: true }));
    const advance = setInterval(() => clock.advance(400), 1);
    try {
      const model = createHttpModel(echoing(server.url, { clock, idleTimeoutMs: 1000 }));
      const { error } = await collectAnswer(model, question);
      assert.deepEqual([error?.code, error?.retryable], ['E_MODEL_TIMEOUT', true]);
      assert.match(error?.message ?? '', /stalled for 1000 ms \(idleTimeoutMs\)/u);
    } finally {
      clearInterval(advance);
    }
  });
}

test('the first output and the whole response have timeouts of their own', async () => {
  const cases: [EchoOptions, LoopbackAnswer, RegExp, boolean][] = [
    [
      { firstTokenTimeoutMs: 1000 },
      { body: ': waiting\n\n', hangs: true },
      /within 1000 ms \(firstTokenTimeoutMs\)/u,
      true,
    ],
    [{ totalTimeoutMs: 1000 }, { body: 'data: x\n\n', hangs: true }, /longer than 1000 ms \(totalTimeoutMs\)/u, false],
  ];
  for (const [options, response, message, retryable] of cases) {
    const clock = createFakeClock();
    const advance = setInterval(() => clock.advance(400), 1);
    try {
      const { error } = await asked([response], { ...options, clock });
      assert.deepEqual([error?.code, error?.retryable], ['E_MODEL_TIMEOUT', retryable]);
      assert.match(error?.message ?? '', message);
    } finally {
      clearInterval(advance);
    }
  }
});

test('keys are masked in every encoding in which a server may repeat them', async () => {
  const key = 'sk-SECRET/key+with=odd&chars 12345';
  const encodings = [
    Buffer.from(key).toString('base64'),
    Buffer.from(`Bearer ${key}`).toString('base64url'),
    Buffer.from(`a:${key}`).toString('base64'),
    Buffer.from(`ab:${key}:c`).toString('base64'),
    Buffer.from(key).toString('hex'),
    encodeURIComponent(key),
    encodeURIComponent(key).toLowerCase().replace('sk-secret', 'sk-SECRET'),
    new URLSearchParams({ key }).toString(),
  ];
  for (const encoded of encodings) {
    const body = `Wrong credentials ${encoded} given`;
    const { error } = await asked([{ status: 401, body }], { headers: { 'x-api-key': key } });
    assert.match(error?.message ?? '', /\[key\]/u, encoded);
    assert.ok(!(error?.message ?? '').includes(encoded.slice(4, -4)), `${error?.message} shows ${encoded}`);
  }
  const basic = `Basic ${Buffer.from('admin:password-1234').toString('base64')}`;
  const { error } = await asked([{ status: 401, body: 'password-1234 is wrong' }], {
    headers: { authorization: basic },
  });
  assert.match(error?.message ?? '', /: \[key\] is wrong$/u);
});
