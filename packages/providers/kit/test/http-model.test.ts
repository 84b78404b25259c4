import assert from 'node:assert/strict';
import { KernelError, systemClock } from '@ravi/kernel';
import type { Clock } from '@ravi/kernel';
import { collectAnswer, startLoopbackServer } from '@ravi/testkit';
import type { CollectedAnswer, LoopbackAnswer } from '@ravi/testkit';
import { test } from 'vitest';
import { createHttpModel, endpoint, modelErrorInStream } from '../src/index.ts';
import type { EncodedCall, HttpModelOptions, ModelDecoder } from '../src/index.ts';
import { echoing, question } from './echoing.ts';
import type { EchoOptions } from './echoing.ts';

const key = 'sk-SECRET-abcdefgh12345678';

/** Returns the collected response and the request that the server received. */
async function answered(response: LoopbackAnswer, options: EchoOptions = {}) {
  await using server = await startLoopbackServer(() => response);
  const read: CollectedAnswer = await collectAnswer(createHttpModel(echoing(server.url, options)), question);
  return { ...read, requests: server.requests };
}

/** Returns options of a model whose response is one event, read by a decoder with the given overrides. */
function decodingWith(parts: Partial<ModelDecoder>): HttpModelOptions {
  const options = echoing('http://127.0.0.1:9');
  const call = callOf(options);
  return {
    ...options,
    encode: () => ({ ...call, createDecoder: (emit) => ({ ...call.createDecoder(emit), ...parts }) }),
    fetch: async () => new Response('data: x\n\n', { headers: { 'content-type': 'text/event-stream' } }),
  };
}

function callOf(options: HttpModelOptions): EncodedCall {
  return options.encode(question) as EncodedCall;
}

/** Returns a clock whose one-millisecond timers fire, and the requested delays. */
function noting(): { readonly clock: Clock; readonly delays: number[] } {
  const delays: number[] = [];
  const setTimer: Clock['setTimer'] = (callback, delayMs) => {
    delays.push(delayMs);
    if (delayMs === 1) queueMicrotask(callback);
    return { cancel: () => undefined, setBackground: () => undefined };
  };
  return { clock: { ...systemClock, setTimer }, delays };
}

test('headers override those of the provider regardless of case, and later ones override earlier ones', async () => {
  const headers = { authorization: 'Bearer one', Authorization: 'Bearer two', 'Content-Type': 'application/x' };
  const { requests } = await answered(
    { body: 'data: x\n\n' },
    { headers, own: { 'X-Own': 'own', AUTHORIZATION: 'no' } },
  );
  const { authorization, 'content-type': type, 'x-own': own } = requests[0]?.headers ?? {};
  assert.deepEqual([authorization, type, own], ['Bearer two', 'application/x', 'own']);
});

test('an invalid header is rejected at creation, or before a request is sent, and its value is not shown', async () => {
  for (const value of [`${key}\nrest`, `${key}\u2013`]) {
    assert.throws(
      () => createHttpModel(echoing('http://127.0.0.1:9', { headers: { 'x-api-key': value } })),
      ({ code, message }: { code?: string; message: string }) =>
        code === 'E_CONFIG_INVALID' && message.includes('x-api-key') && !message.includes('SECRET'),
    );
    const { error, requests } = await answered({ body: '' }, { own: { authorization: value } });
    assert.deepEqual([error?.code, error?.retryable, requests.length], ['E_CONFIG_INVALID', false, 0]);
    assert.doesNotMatch(error?.message ?? '', /SECRET/u);
  }
});

test('no error contains a key, for any header, any place in the response and any clipping', async () => {
  const holders: EchoOptions[] = [
    { headers: { Authorization: `Bearer ${key}` } },
    { own: { 'x-api-key': key } },
    { headers: { 'cf-access-client-secret': key } },
    { headers: { cookie: `session=${key}; theme=dark` } },
    { query: `?key=${encodeURIComponent(key)}` },
  ];
  const said = `Wrong: ${key}!`;
  const atTheCut = 'x'.repeat(980) + key;
  const responses: LoopbackAnswer[] = [
    { status: 401, body: said },
    { status: 400, body: atTheCut },
    { body: `event: error\ndata: ${said}\n\n` },
    { body: `event: error\ndata: ${atTheCut}\n\n` },
    { body: { refused: said } },
    { status: 400, headers: { 'x-request-id': key }, body: 'no' },
  ];
  for (const response of responses) {
    for (const holder of holders) {
      const { error } = await answered(response, holder);
      assert.doesNotMatch(JSON.stringify(error), /SECRET/u);
      assert.match(JSON.stringify(error), /\[key\]|no"|x…"/u);
      assert.ok((error?.message.length ?? 0) < 1100);
    }
  }
  const { error } = await answered({ status: 400, body: 'application/json is not 2023-06-01' });
  assert.match(error?.message ?? '', /application\/json is not 2023-06-01/u);
});

test('a base URL that is not http, or contains a password, is rejected without showing secrets', () => {
  for (const base of ['localhost:11434/v1', 'file:///etc/passwd', 'ftp://x', 'api.openai.com/v1', '']) {
    assert.throws(
      () => endpoint(base, '/x'),
      { code: 'E_CONFIG_INVALID', message: /is not a valid URL; use https:/u },
      base,
    );
  }
  for (const base of ['http://user:SECRET@h/v1', 'https://SECRET@h', 'user:SECRET@h/v1', 'h/v1?key=SECRET']) {
    assert.throws(
      () => endpoint(base, '/x'),
      ({ code, message }: { code?: string; message: string }) =>
        code === 'E_CONFIG_INVALID' && !message.includes('SECRET') && message.includes('h'),
      base,
    );
  }
});

test('a long message in a stream keeps its whole text until keys are removed', () => {
  assert.ok(modelErrorInStream({ status: 500, message: 'x'.repeat(5000) }).message.endsWith('x'.repeat(5000)));
});

test('a redirect is not followed: its target receives no key, and the error names its origin', async () => {
  for (const status of [301, 302, 303, 307, 308]) {
    await using other = await startLoopbackServer(() => ({ body: { text: 'from elsewhere' } }));
    const location = `${other.url.replace('://', '://user:password@')}/echo?key=${key}`;
    const options = { headers: { 'x-api-key': key }, maxRetries: 2 };
    const { error, requests } = await answered({ status, headers: { location }, body: '' }, options);
    assert.deepEqual([error?.code, error?.retryable, error?.status], ['E_MODEL_PROTOCOL', false, status]);
    assert.ok(error?.message.includes(` ${other.url},`), error?.message);
    assert.deepEqual([requests.length, other.requests.length], [1, 0]);
  }
  const { error } = await answered({ status: 304, headers: {}, body: '' });
  assert.deepEqual([error?.code, error?.retryable], ['E_MODEL_PROTOCOL', false]);
});

test('any error thrown by an encoder or a decoder ends the stream as a final error without keys', async () => {
  const throwing = (error: unknown) => (): never => {
    throw error;
  };
  const options: HttpModelOptions[] = [new TypeError(`no ${key}`), `no ${key}`].flatMap((error) => [
    { ...echoing('http://127.0.0.1:9'), encode: throwing(error) },
    { ...echoing('http://127.0.0.1:9'), encode: () => Promise.reject(error) },
    decodingWith({ event: throwing(error) }),
    decodingWith({ end: throwing(error) }),
  ]);
  const cyclic: Record<string, unknown> = {};
  cyclic['self'] = cyclic;
  options.push({ ...echoing(''), encode: () => ({ ...callOf(echoing('http://127.0.0.1:9')), body: cyclic }) });
  for (const option of options) {
    const { error, finish } = await collectAnswer(createHttpModel({ ...option, headers: { 'x-key': key } }), question);
    assert.deepEqual([error?.code, error?.retryable, finish], ['E_MODEL_PROTOCOL', false, undefined]);
    assert.doesNotMatch(error?.message ?? '', /SECRET/u);
  }
  const kernel = new KernelError('E_MODEL_REFUSED_REQUEST', 'too much');
  const refused = createHttpModel({ ...echoing(''), encode: throwing(kernel) });
  assert.equal((await collectAnswer(refused, question)).error?.code, 'E_MODEL_REFUSED_REQUEST');
});

test('events emitted before a decoder throws are kept', async () => {
  const options = decodingWith({
    end: () => {
      throw new TypeError('late');
    },
  });
  const types: string[] = [];
  for await (const { type } of createHttpModel(options).stream(question, { signal: new AbortController().signal }))
    types.push(type);
  assert.deepEqual(types, ['text-delta', 'error']);
});

test('an abort ends the wait for an encoder that never returns', async () => {
  const abort = new AbortController();
  const model = createHttpModel({
    ...echoing(''),
    encode() {
      queueMicrotask(() => abort.abort());
      return new Promise(() => undefined);
    },
  });
  assert.equal((await collectAnswer(model, question, abort.signal)).error?.code, 'E_CANCELLED');
});

test('a response arrives under any timeout, also one beyond the limit of platform timers', async () => {
  for (const timeoutMs of [Number.POSITIVE_INFINITY, 2 ** 31, 2 ** 40, 60_000]) {
    const times = { firstTokenTimeoutMs: timeoutMs, idleTimeoutMs: timeoutMs, totalTimeoutMs: timeoutMs };
    const { error } = await answered({ body: 'data: x\n\n' }, { ...times, maxRetries: 0 });
    assert.equal(error, undefined);
  }
});

test('a backoff without a hint is limited to the longest allowed wait and does not end the retries', async () => {
  const { clock, delays } = noting();
  const never = Number.POSITIVE_INFINITY;
  const times = { firstTokenTimeoutMs: never, idleTimeoutMs: never, totalTimeoutMs: never };
  const options = { ...times, clock, maxRetries: 2, maxRetryDelayMs: 1 };
  const { requests } = await answered({ status: 503, body: 'busy' }, options);
  assert.deepEqual([requests.length, delays.filter(Number.isFinite)], [3, [1, 1]]);
});
