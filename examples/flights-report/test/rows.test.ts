import assert from 'node:assert/strict';
import { test } from 'vitest';
import { createCsvRowReader } from '../src/rows/csv-rows.ts';
import { createJsonRowReader } from '../src/rows/json-rows.ts';
import type { RowReader } from '../src/rows/row-reader.ts';
import type { Row } from '../src/rows/row.ts';

function readAll(reader: RowReader, pieces: readonly string[]): readonly Row[] {
  return [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()];
}

/** The text in two pieces, cut at each place in turn, and once in single characters. */
function cuts(text: string): readonly (readonly string[])[] {
  const pairs = Array.from({ length: text.length + 1 }, (_, at) => [text.slice(0, at), text.slice(at)]);
  return [...pairs, text.split('')];
}

const rows = [
  { name: 'a "quoted" }],[{ \\', nested: { list: [1, [2], { three: 3 }] }, none: null },
  { name: 'é🛫', nested: {}, none: true },
  {},
];

test('JSON rows are the same wherever the text is cut', () => {
  for (const text of [JSON.stringify(rows), JSON.stringify(rows, undefined, 1)]) {
    for (const pieces of cuts(text)) assert.deepEqual(readAll(createJsonRowReader(), pieces), rows);
  }
});

test('JSON rows of an object are those of its first array, with any content around it', () => {
  const text = JSON.stringify({ type: 'x', metadata: { ids: [1, 2] }, features: rows, bbox: [0, 1] });
  for (const pieces of cuts(text)) assert.deepEqual(readAll(createJsonRowReader(), pieces), rows);
  assert.deepEqual(readAll(createJsonRowReader(), ['[]']), []);
});

test('JSON that ends early, holds no rows or other values than rows is refused', () => {
  assert.throws(() => readAll(createJsonRowReader(), ['[{"a":1},{"b"']), /ends inside a row/);
  assert.throws(() => readAll(createJsonRowReader(), ['{"a":1}']), /holds no array of rows/);
  assert.throws(() => readAll(createJsonRowReader(), ['[{"a":1},[2]]']), /A row must be an object, got \[2\]/);
  assert.throws(() => readAll(createJsonRowReader(), ['[1,2]']), /A row must be an object, got 1/);
  assert.throws(() => readAll(createJsonRowReader(), ['[{"a":1},nonsense]']), SyntaxError);
});

test('CSV rows are the same wherever the text is cut', () => {
  const text = 'code,name,height\r\n007,"Union, ""Troy""\nShelton",31.95\r\n00M,,-2\r\nx,y,1e5';
  const expected = [
    { code: '007', name: 'Union, "Troy"\nShelton', height: 31.95 },
    { code: '00M', name: null, height: -2 },
    { code: 'x', name: 'y', height: '1e5' },
  ];
  for (const pieces of cuts(text)) assert.deepEqual(readAll(createCsvRowReader(), pieces), expected);
});

test('CSV with a ragged row or an open quote is refused', () => {
  assert.throws(() => readAll(createCsvRowReader(), ['a,b\n1,2\n1,2,3\n']), /has 3 fields, the header has 2/);
  assert.throws(() => readAll(createCsvRowReader(), ['a,b\n1,"2\n']), /ends inside a quoted field/);
});
