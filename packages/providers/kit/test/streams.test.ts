import assert from 'node:assert/strict';
import { test } from 'vitest';
import { createSseSplitter, parseArguments, wireJson } from '../src/index.ts';

type Event = readonly [data: string, name: string | undefined];

function split(pieces: readonly string[]): Event[] {
  const events: Event[] = [];
  const splitter = createSseSplitter((data, name) => events.push([data, name]));
  for (const piece of pieces) splitter.push(piece);
  splitter.end();
  return events;
}

const stream = [
  ': OPENROUTER PROCESSING\n\n',
  'data: {"a":1}\n\n',
  'event: error\r\ndata:no space\r\n\r\n',
  'id: 7\nretry: 10\ndata: two\ndata: lines\n\n',
  'data\rdata: cr\r\r',
  'data: no blank line at the end',
].join('');
const expected: Event[] = [
  ['{"a":1}', undefined],
  ['no space', 'error'],
  ['two\nlines', undefined],
  ['\ncr', undefined],
  ['no blank line at the end', undefined],
];

test('a stream yields the same events whole, character by character and split anywhere', () => {
  assert.deepEqual(split([stream]), expected);
  assert.deepEqual(split([...stream]), expected);
  for (let at = 0; at <= stream.length; at++)
    assert.deepEqual(split([stream.slice(0, at), stream.slice(at)]), expected);
});

test('an event over the limit ends the stream with the limit', () => {
  const splitter = createSseSplitter(() => undefined, 100);
  splitter.push(`data: ${'x'.repeat(90)}\n\n`);
  assert.throws(() => splitter.push(`data: ${'x'.repeat(101)}`), {
    code: 'E_MODEL_PROTOCOL',
    message: /100 characters/,
  });
});

test('a long line is joined once, for any number of pieces', () => {
  const piece = 'x'.repeat(16_384);
  const total = 256 * piece.length;
  const search = String.prototype.indexOf;
  // The engine flattens a whole text before it searches it, wherever the search begins.
  let joinedChars = 0;
  try {
    String.prototype.indexOf = function indexOf(this: string, ...args) {
      joinedChars += this.length;
      return search.apply(this, args);
    };
    const [event] = split(['data: ', ...Array<string>(256).fill(piece), '\n\n']);
    assert.equal(event?.[0].length, total);
  } finally {
    String.prototype.indexOf = search;
  }
  assert.ok(joinedChars < 8 * total, `${joinedChars} characters joined for ${total}`);
});

test('an event that ends in carriage returns is emitted when they arrive, not with the next event', () => {
  const events: Event[] = [];
  const splitter = createSseSplitter((data, name) => events.push([data, name]));
  splitter.push('data: a\r\r');
  assert.deepEqual(events, [['a', undefined]]);
  for (const piece of ['\n', '', 'data: b\r', '\n\r', '\n', 'data: c']) splitter.push(piece);
  splitter.end();
  assert.deepEqual(events.slice(1), [
    ['b', undefined],
    ['c', undefined],
  ]);
});

test('missing arguments are an empty object, unless the response was cut off', () => {
  for (const text of ['', ' \n', 'null', '{}']) assert.deepEqual(parseArguments(text), { arguments: {} });
  assert.equal(parseArguments('', { wasCut: true }).invalid?.reason, 'truncated');
  assert.deepEqual(parseArguments('{"a":1}', { wasCut: true }), { arguments: { a: 1 } });
});

test('arguments are never repaired: cut ones are truncated, wrong ones malformed', () => {
  for (const text of ['{', '{"a":', '{"a":"b', '{"a":[1,2', '{"a":"}"']) {
    assert.deepEqual(parseArguments(text), { arguments: {}, invalid: { reason: 'truncated', text } });
  }
  for (const text of ['[1]', '"x"', '7', '{a:1}', '{"a":1}}', 'true']) {
    assert.deepEqual(parseArguments(text), { arguments: {}, invalid: { reason: 'malformed', text } });
  }
});

test('a lone surrogate never reaches the wire, in any position', () => {
  const half = '😀'.slice(0, 1);
  const text = wireJson({ deep: [{ text: `cut ${half}`, [half]: 1, whole: '😀', number: 1 }] });
  assert.deepEqual(JSON.parse(text), { deep: [{ text: 'cut �', '�': 1, whole: '😀', number: 1 }] });
  assert.equal(
    wireJson({ text: String.raw`a literal \ud83d` }),
    JSON.stringify({ text: String.raw`a literal \ud83d` }),
  );
});
