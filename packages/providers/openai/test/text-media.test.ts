import assert from 'node:assert/strict';
import type { MediaBlock } from '@ravi/kernel';
import { test } from 'vitest';
import { ask, chat, model, responses, result, text, use, user } from './encoding.ts';

const office = 'application/vnd.openxmlformats-officedocument';
const file = (mediaType: string, content: string | Uint8Array, name?: string): MediaBlock => ({
  type: 'document',
  mediaType,
  source: { kind: 'bytes', bytes: typeof content === 'string' ? Buffer.from(content) : content },
  ...(name === undefined ? {} : { name }),
});
const textTypes = [
  'text/plain',
  'text/csv',
  'text/markdown; charset=utf-8',
  'application/json',
  'application/ld+json',
  'application/xml',
  'application/yaml',
  'application/x-ndjson',
];

test('every text type reaches the model as text, in user messages and in results, without a warning', () => {
  for (const mediaType of textTypes) {
    const block = file(mediaType, 'ä;b\n1;2', 'list.csv');
    const conversation = ask([user(text('Read it.'), block), model(use('a')), user(result('a', block))]);
    for (const { body, warnings } of [chat(conversation), chat(conversation, 'deepseek'), responses(conversation)]) {
      const shown = JSON.stringify(body).split(JSON.stringify(`[list.csv, ${mediaType}]\nä;b\n1;2`).slice(1, -1));
      assert.equal(shown.length, 3, `${mediaType}: ${JSON.stringify(body)}`);
      assert.deepEqual(warnings, []);
    }
  }
});

test('the charset of a text type is used', () => {
  const { messages } = chat(ask([user(file('text/plain; charset=iso-8859-1', Uint8Array.of(0xe4)))]));
  assert.match(String(messages[0]?.['content']), /ä$/u);
});

test('office documents are files for Responses at OpenAI, and placeholders with their name elsewhere', () => {
  for (const [type, extension] of [
    ['wordprocessingml.document', 'docx'],
    ['spreadsheetml.sheet', 'xlsx'],
  ]) {
    const block = file(`${office}.${type}`, Uint8Array.of(1, 2, 3), 'artifact:12');
    const [part] = (responses(ask([user(block)])).input[0]?.['content'] ?? []) as readonly Record<string, unknown>[];
    assert.deepEqual(part, {
      type: 'input_file',
      filename: `artifact:12.${extension}`,
      file_data: `data:${office}.${type};base64,AQID`,
    });
    const { messages, warnings } = chat(ask([user(block)]));
    assert.match(
      String(messages[0]?.['content']),
      /^\[document, .*"artifact:12", 3 bytes: cannot be shown to this model\]$/u,
    );
    assert.deepEqual(
      warnings.map(({ code }) => code),
      ['media-replaced'],
    );
  }
});

test('Mistral gets a user message after results in the last result, and no invented words of the model', () => {
  const { messages } = chat(
    ask([user(text('x')), model(use('a')), user(result('a', text('done')), text('And?'))]),
    'mistral',
  );
  assert.deepEqual(
    messages.map(({ role }) => role),
    ['user', 'assistant', 'tool'],
  );
  assert.deepEqual(messages[2]?.['content'], [
    { type: 'text', text: 'done' },
    { type: 'text', text: '[Not part of the result: the next message of the user]' },
    { type: 'text', text: 'And?' },
  ]);
});
