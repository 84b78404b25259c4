import assert from 'node:assert/strict';
import { collectAnswer } from '@ravi/testkit';
import type { CollectedAnswer } from '@ravi/testkit';
import { test } from 'vitest';
import { createHttpModel } from '../src/index.ts';
import { echoing, question } from './echoing.ts';

const types = ['application/json', 'text/event-stream', 'text/plain; charset=utf-8', ''];

/** What an answer of this type becomes that comes whole, and byte by byte. */
async function read(contentType: string, body: string | null, status = 200): Promise<CollectedAnswer> {
  const bytes = new TextEncoder().encode(body ?? '');
  const answering = (pieces: readonly Uint8Array<ArrayBuffer>[]): Promise<CollectedAnswer> => {
    const fetch = async (): Promise<Response> =>
      new Response(body === null ? null : ReadableStream.from(pieces), {
        status,
        headers: contentType === '' ? {} : { 'content-type': contentType },
      });
    return collectAnswer(createHttpModel(echoing('http://127.0.0.1:9', { fetch })), question);
  };
  const whole = await answering([bytes]);
  assert.deepEqual(await answering([...bytes].map((byte) => Uint8Array.of(byte))), whole);
  return whole;
}

test('JSON is a body and events are a stream, whatever type they come with', async () => {
  for (const type of types) {
    for (const body of ['{"text":"ok"}', ' \n{"text":"ok"}\n'])
      assert.deepEqual(textOf(await read(type, body)), 'ok', type);
    for (const start of ['', ': ping\n\n', '\r\n', 'id: 1\n', 'event: x\n', 'retry:1\n'])
      assert.deepEqual(textOf(await read(type, `${start}data: ok\n\n`)), 'ok', `${type} ${start}`);
    const { error } = await read(type, '{"refused":"model overloaded"}');
    assert.match(error?.message ?? '', /model overloaded/u);
  }
});

test('a page is no answer that broke off: the error has its type and its beginning, and does not pass', async () => {
  const page = `<html>\n  <h1>Please sign in</h1>${' '.repeat(2000)}</html>`;
  for (const type of [...types, 'text/html']) {
    const { error } = await read(type, page);
    assert.deepEqual([error?.code, error?.retryable], ['E_MODEL_PROTOCOL', false]);
    assert.match(error?.message ?? '', /<html> <h1>Please sign in/u);
    assert.ok(error?.message.includes(type));
  }
  for (const words of ['Please sign in', 'datum', 'no']) {
    const { error } = await read('text/plain', words);
    assert.deepEqual([error?.code, error?.retryable], ['E_MODEL_PROTOCOL', false]);
    assert.ok(error?.message.includes(words));
  }
});

test('an answer without a body is no answer that broke off', async () => {
  const { error } = await read('', null, 204);
  assert.deepEqual([error?.code, error?.retryable], ['E_MODEL_PROTOCOL', false]);
  assert.match(error?.message ?? '', /204/u);
});

function textOf({ blocks }: CollectedAnswer): string {
  return blocks.map((block) => (block.type === 'text' ? block.text : '')).join('');
}
