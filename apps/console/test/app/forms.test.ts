import assert from 'node:assert/strict';
import { test } from 'vitest';
import { changesBetween } from '../../app/forms/arguments-diff.tsx';
import { fieldsOf, initialValue } from '../../app/forms/schema.ts';
import { searchTools } from '../../app/tools/search-tools.ts';
import { publishReport, tools } from '../support/catalogue.ts';

test('a schema becomes fields of fitting kinds, and says which are needed', () => {
  assert.deepEqual(
    fieldsOf(publishReport.inputSchema).map(({ name, kind, isRequired }) => [name, kind, isRequired]),
    [
      ['title', 'text', true],
      ['markdown', 'long-text', true],
      ['audience', 'choice', false],
      ['notify', 'boolean', false],
      ['copies', 'integer', false],
      ['tags', 'json', false],
    ],
  );
  assert.deepEqual(initialValue(publishReport.inputSchema), { audience: 'team' });
});

test('without a schema the values say what the fields are', () => {
  const value = { text: 'a\nb', many: [1], inner: { flag: true }, nothing: null };
  assert.deepEqual(
    fieldsOf(undefined, value).map(({ name, kind, fields }) => [name, kind, fields.map((field) => field.kind)]),
    [
      ['text', 'long-text', []],
      ['many', 'json', []],
      ['inner', 'object', ['boolean']],
      ['nothing', 'json', []],
    ],
  );
});

test('only arguments that are others now count as changed', () => {
  assert.deepEqual(changesBetween({ a: 1, b: [1], c: 'x' }, { a: 1, b: [2], d: 'y' }), [
    { name: 'b', before: [1], after: [2] },
    { name: 'c', before: 'x', after: undefined },
    { name: 'd', before: undefined, after: 'y' },
  ]);
});

test('a tool is found by every word, and by its name first', () => {
  assert.equal(searchTools(tools, 'report PUBLISH')[0], publishReport);
  assert.equal(searchTools(tools, 'everybody read')[0], publishReport);
  assert.deepEqual(searchTools(tools, 'publish zebra'), []);
  assert.equal(searchTools(tools, ' ').length, tools.length);
});
