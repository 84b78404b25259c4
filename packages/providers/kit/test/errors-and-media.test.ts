import assert from 'node:assert/strict';
import { KernelError } from '@ravi/kernel';
import type { BlobReader, MediaBlock, ModelRequest } from '@ravi/kernel';
import { test } from 'vitest';
import { mediaAsText, mediaUrl, modelErrorOf, parseDuration, retryAfterMs, takesMedia } from '../src/index.ts';
import { loadMedia } from '../src/load-media.ts';

const now = Date.UTC(2026, 0, 1);

test('provider durations are parsed as milliseconds', () => {
  const cases: [string, number | undefined][] = [
    ['34.4s', 34_400],
    ['6m0s', 360_000],
    ['120ms', 120],
    ['1h', 3_600_000],
    ['soon', undefined],
    ['5', undefined],
    ['', undefined],
  ];
  for (const [text, expected] of cases) assert.equal(parseDuration(text), expected, text);
});

test('the wait is parsed from milliseconds, seconds, a date or a duration', () => {
  const cases: [Record<string, string>, number | undefined][] = [
    [{ 'retry-after-ms': '250', 'retry-after': '9' }, 9000],
    [{ 'retry-after-ms': '0', 'retry-after': '1' }, 1000],
    [{ 'retry-after-ms': '2500', 'retry-after': '0' }, 2500],
    [{ 'retry-after-ms': '-1', 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': '1.5' }, 1500],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:10 GMT' }, 10_000],
    [{ 'retry-after': 'Wed, 31 Dec 2025 00:00:10 GMT' }, 0],
    [{ 'retry-after': '2s' }, 2000],
    [{ 'retry-after': '-1' }, undefined],
    [{}, undefined],
  ];
  for (const [headers, expected] of cases)
    assert.equal(retryAfterMs(new Headers(headers), now), expected, JSON.stringify(headers));
});

test('the status and a few words determine the error code and whether it is retryable', () => {
  const errorOf = (status: number, message: string, headers: Record<string, string> = {}) =>
    modelErrorOf({ status, message, headers: new Headers(headers) }, now);
  const cases: [ReturnType<typeof errorOf>, string, boolean][] = [
    [errorOf(401, 'no'), 'E_MODEL_AUTHENTICATION', false],
    [errorOf(429, 'slow'), 'E_MODEL_RATE_LIMITED', true],
    [errorOf(429, 'Your credit balance is too low'), 'E_MODEL_NO_CREDIT', false],
    [errorOf(400, 'maximum context length is 8192'), 'E_MODEL_CONTEXT_EXCEEDED', false],
    [errorOf(400, 'bad'), 'E_MODEL_REFUSED_REQUEST', false],
    [errorOf(400, 'odd', { 'x-should-retry': 'true' }), 'E_MODEL_REFUSED_REQUEST', true],
    [errorOf(500, 'broke', { 'x-should-retry': 'false' }), 'E_MODEL_UNAVAILABLE', false],
    [errorOf(529, 'busy'), 'E_MODEL_OVERLOADED', true],
    [errorOf(504, 'slow'), 'E_MODEL_TIMEOUT', true],
  ];
  for (const [error, code, retryable] of cases)
    assert.deepEqual([error.code, error.retryable], [code, retryable], error.message);
  const long = errorOf(400, '😀'.repeat(5000)).message;
  assert.ok(long.isWellFormed() && long.length < 2200);
});

test('an empty account is detected by its code; words count only without a code and a retry hint', () => {
  const isRetryable = (message: string, said: { providerCode?: string; retryAfterMs?: number } = {}, headers = {}) =>
    modelErrorOf({ status: 429, message, headers: new Headers(headers), ...said }, now).retryable;
  const words = 'You exceeded your current quota, please check your plan and billing details.';
  assert.equal(isRetryable(words), false);
  assert.equal(isRetryable(words, { providerCode: '429' }), false);
  assert.equal(isRetryable(words, { providerCode: '429', retryAfterMs: 10 }), true);
  assert.equal(isRetryable(words, {}, { 'retry-after': '1' }), true);
  assert.equal(isRetryable(words, {}, { 'x-should-retry': 'true' }), true);
  for (const providerCode of ['rate_limit_exceeded', 'RESOURCE_EXHAUSTED', 'tokens'])
    assert.equal(isRetryable(words, { providerCode }), true, providerCode);
  for (const providerCode of ['insufficient_quota', 'billing_error', 'exceeded_current_quota_error'])
    assert.equal(isRetryable('slow', { providerCode, retryAfterMs: 10 }, { 'retry-after': '1' }), false, providerCode);
});

const png: MediaBlock = {
  type: 'image',
  mediaType: 'image/png',
  name: 'a',
  source: { kind: 'bytes', bytes: Uint8Array.of(255) },
};

test('media are sent where a model accepts their type, as a URL if it fetches URLs', () => {
  const support = { user: ['image/*'], 'tool-result': ['application/pdf'], urls: false };
  const at = (url: string): MediaBlock => ({ ...png, source: { kind: 'url', url } });
  assert.deepEqual(
    [
      takesMedia(support, 'user', png),
      takesMedia(support, 'tool-result', png),
      takesMedia(support, 'user', at('https://a/b')),
    ],
    [true, false, false],
  );
  assert.equal(takesMedia(support, 'user', at('data:image/png;base64,/w==')), true);
  assert.equal(mediaUrl(png), 'data:image/png;base64,/w==');
  assert.equal(mediaAsText(png), '[image, image/png, "a", 1 bytes: cannot be shown to this model]');
});

test('media in a blob store are loaded, results included, and missing ones stay unchanged', async () => {
  const stored = (ref: string): MediaBlock => ({ ...png, source: { kind: 'blob', ref } });
  const blobs = {
    resolve: async (ref: string) => {
      if (ref === 'gone') throw new KernelError('E_BLOB_NOT_FOUND', 'gone');
      return Uint8Array.of(7);
    },
  } as unknown as BlobReader;
  const result = { type: 'tool_result', toolUseId: 'a', isError: false, content: [stored('here')] } as const;
  const request: ModelRequest = { tools: [], messages: [{ role: 'user', content: [stored('gone'), result] }] };
  const [message] = (await loadMedia(request, blobs)).messages;
  const [gone, read] = message?.content ?? [];
  assert.deepEqual(gone, stored('gone'));
  assert.deepEqual(read?.type === 'tool_result' ? read.content : [], [
    { ...png, source: { kind: 'bytes', bytes: Uint8Array.of(7) } },
  ]);
});
