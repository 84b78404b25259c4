import assert from 'node:assert/strict';
import type { MediaBlock } from '@ravi/kernel';
import { test } from 'vitest';
import { ask, chat, responses, user } from './encoding.ts';
import type { WireObject } from './encoding.ts';

const medium = (type: MediaBlock['type'], mediaType: string, url: string): MediaBlock => ({
  type,
  mediaType,
  source: { kind: 'url', url },
});
const pdf = (url: string): MediaBlock => medium('document', 'application/pdf', url);
const partIn = (messages: readonly WireObject[]): unknown => {
  const [part] = (messages[0]?.['content'] ?? []) as unknown as readonly unknown[];
  return part;
};

test('a document in a data: URL is sent to Responses as bytes, any other as its URL', () => {
  const partOf = (url: string) => partIn(responses(ask([user(pdf(url))])).input);
  assert.deepEqual(partOf('data:application/pdf;base64,AAAA'), {
    type: 'input_file',
    filename: 'document.pdf',
    file_data: 'data:application/pdf;base64,AAAA',
  });
  assert.deepEqual(partOf('https://a.example/a.pdf'), { type: 'input_file', file_url: 'https://a.example/a.pdf' });
});

test('Chat gets a description, with a warning, of a document that it would have to fetch and of a URL without data', () => {
  for (const block of [
    pdf('https://a.example/a.pdf'),
    medium('audio', 'audio/wav', 'https://a.example/a.wav'),
    medium('audio', 'audio/wav', 'data:audio/wav'),
  ]) {
    const { messages, warnings } = chat(ask([user(block)]));
    assert.match(String(messages[0]?.['content']), /cannot be shown/u);
    assert.deepEqual(
      warnings.map(({ code }) => code),
      ['media-replaced'],
    );
  }
  const { messages } = chat(ask([user(medium('audio', 'audio/mpeg', 'data:audio/mpeg,abc'))]));
  assert.deepEqual(partIn(messages), { type: 'input_audio', input_audio: { data: 'YWJj', format: 'mp3' } });
});
