import assert from 'node:assert/strict';
import { test } from 'vitest';
import { parseCsv, tableOf } from '../../app/artifacts/table-of.ts';
import { previewKindOf } from '../../app/artifacts/preview-kind.ts';

test('cells in quotes keep separators, line breaks and doubled quotes', () => {
  assert.deepEqual(parseCsv('a,b\r\n"x, ""y""\nz",2\n', 10), [
    ['a', 'b'],
    ['x, "y"\nz', '2'],
  ]);
});

test('empty cells stay, and the line break at the end makes no row', () => {
  assert.deepEqual(parseCsv(',\n1,\n', 10), [
    ['', ''],
    ['1', ''],
  ]);
  assert.deepEqual(parseCsv('', 10), []);
});

test('no more rows are read than are shown', () => {
  assert.equal(parseCsv('1\n'.repeat(1_000), 3).length, 3);
});

test('a list of objects is a table, bare or as the only list of an object', () => {
  const rows = [{ a: 1 }, { a: 2, b: { c: 3 } }];
  const table = {
    columns: ['a', 'b'],
    rows: [
      ['1', ''],
      ['2', '{"c":3}'],
    ],
  };
  assert.deepEqual(tableOf(rows, 10), table);
  assert.deepEqual(tableOf({ matched: 2, rows }, 10), table);
  assert.equal(tableOf({ one: rows, other: rows }, 10), undefined);
  assert.equal(tableOf([1, 2], 10), undefined);
});

test('content is shown by its media type, without its parameters, and executable content is shown as text', () => {
  assert.equal(previewKindOf('Application/JSON; charset=utf-8'), 'json');
  assert.equal(previewKindOf('text/html'), 'text');
  assert.equal(previewKindOf('image/svg+xml'), 'image');
  assert.equal(previewKindOf('application/zip'), 'none');
});
