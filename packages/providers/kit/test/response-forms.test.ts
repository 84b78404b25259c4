import assert from 'node:assert/strict';
import { collectAnswer } from '@ravi/testkit';
import type { CollectedAnswer } from '@ravi/testkit';
import { test } from 'vitest';
import { createHttpModel } from '../src/index.ts';
import { echoing, question } from './echoing.ts';

const types = ['application/json', 'text/event-stream', 'text/plain; charset=utf-8', ''];

/** Collects a response of this content type, sent whole and byte by byte. */
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

test('JSON is a body and events are a stream, regardless of the content type', async () => {
  for (const type of types) {
    for (const body of ['{"text":"ok"}', ' \n{"text":"ok"}\n'])
      assert.deepEqual(textOf(await read(type, body)), 'ok', type);
    for (const start of ['', ': ping\n\n', '\r\n', 'id: 1\n', 'event: x\n', 'retry:1\n'])
      assert.deepEqual(textOf(await read(type, `${start}data: ok\n\n`)), 'ok', `${type} ${start}`);
    const { error } = await read(type, '{"refused":"model overloaded"}');
    assert.match(error?.message ?? '', /model overloaded/u);
  }
});

test('an HTML page is not a truncated response: the error has its content type and beginning and is final', async () => {
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

test('a response without a body is not a truncated response', async () => {
  const { error } = await read('', null, 204);
  assert.deepEqual([error?.code, error?.retryable], ['E_MODEL_PROTOCOL', false]);
  assert.match(error?.message ?? '', /204/u);
});

function textOf({ blocks }: CollectedAnswer): string {
  return blocks.map((block) => (block.type === 'text' ? block.text : '')).join('');
}
