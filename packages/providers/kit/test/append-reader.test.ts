import assert from 'node:assert/strict';
import { createSeededRandom } from '@ravi/testkit';
import { test } from 'vitest';
import { createAppendReader } from '../src/index.ts';

const event = (text: string, more: object = {}): string =>
  JSON.stringify({ type: 'delta', index: 0, ...more, delta: { type: 'json', partial_json: text } });

/** Reads events as a decoder does and returns their text and the number of parsed events. */
function readAll(events: readonly string[]): { readonly texts: readonly unknown[]; readonly parsed: number } {
  const reader = createAppendReader(['partial_json']);
  let parsed = 0;
  const texts = events.map((data) => {
    const known = reader.read(data);
    if (known !== undefined) return known;
    parsed++;
    const { delta, index } = JSON.parse(data) as { delta: { partial_json: string }; index: number };
    reader.learn(data, index === 0 ? delta.partial_json : undefined);
    return delta.partial_json;
  });
  return { texts, parsed };
}

test('events that differ only in their text are parsed once, even with padding at the end', () => {
  const texts = ['{"a', '":"', String.raw`\n`, '"}}', '\\', 'ü😀', '}', '"', 'x'.repeat(50)];
  const plain = texts.map((text) => event(text));
  assert.deepEqual(readAll(plain), { texts, parsed: 1 });
  const padded = plain.map((data, at) => data.replace(/\}\}$/u, `}${' '.repeat(at)}}`));
  assert.deepEqual(readAll(padded), { texts, parsed: 1 });
});

test('an event with another index, another field or a syntax error does not match', () => {
  const reader = createAppendReader(['partial_json']);
  reader.learn(event('a'), 'a');
  assert.equal(reader.read(event('b')), 'b');
  assert.equal(reader.read(event('b', { index: 1 })), undefined);
  assert.equal(reader.read(event('b').slice(0, -1)), undefined);
  assert.equal(reader.read(event('b","partial_json":"c').replaceAll('\\', '')), undefined);
  assert.equal(reader.read(`${event('b')},`), undefined);
  reader.learn('{"text":"a"}', 'a');
  assert.equal(reader.read('{"text":"b"}'), undefined);
});

test('only counters and padding may differ', () => {
  const numbered = (text: string, number: unknown, padding: unknown, more: object = {}): string =>
    JSON.stringify({ type: 'delta', sequence: number, item: 'i(1)', text, padding, ...more });
  const reader = createAppendReader(['text'], ['sequence', 'padding']);
  reader.learn(numbered('a', 1, 'xyz'), 'a');
  assert.equal(reader.read(numbered('b', 22, '')), 'b');
  assert.equal(reader.read(numbered('"sequence":3', 23, 'a_1')), '"sequence":3');
  assert.equal(reader.read(numbered('b', 'word', 5)), 'b');
  assert.equal(reader.read(numbered('b', -1, 'x')), undefined);
  assert.equal(reader.read(numbered('b', 2, 'two words')), undefined);
  assert.equal(reader.read(numbered('b', 2, [])), undefined);
  assert.equal(reader.read(numbered('b', 2, 'x', { more: true })), undefined);
  assert.equal(createAppendReader(['text']).read(numbered('b', 2, 'x')), undefined);
});

test('a very long event is parsed', () => {
  const reader = createAppendReader(['partial_json']);
  reader.learn(event('a'), 'a');
  assert.equal(reader.read(event('b'.repeat(50_000)))?.length, 50_000);
  assert.equal(reader.read(event('b'.repeat(70_000))), undefined);
});

test('any text reads as if it had been parsed', () => {
  const random = createSeededRandom(7);
  const characters = ['"', '\\', '}', '{', ' ', '\n', '\u0000', 'a', 'é', '😀', '\ud83d', ','];
  const texts = Array.from({ length: 5000 }, () =>
    Array.from({ length: random.below(6) }, () => random.pick(characters)).join(''),
  );
  const events = texts.map((text) => event(text).replace(/\}\}$/u, `}${' '.repeat(random.below(3))}}`));
  const read = readAll(events);
  assert.deepEqual(read.texts, texts);
  assert.ok(read.parsed < texts.length / 2, `${read.parsed}`);
});
