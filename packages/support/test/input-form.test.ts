import assert from 'node:assert/strict';
import { test } from 'vitest';
import { answerProblems, formOf, readElicitation, readForm, schemaOfForm } from '../src/index.ts';
import type { FormField } from '../src/index.ts';

const schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    name: { type: 'string', title: 'Full name', description: 'As in the passport', minLength: 2, maxLength: 10 },
    mail: { type: 'string', format: 'email', pattern: '(a+)+$' },
    born: { type: 'string', format: 'date' },
    at: { type: 'string', format: 'date-time' },
    site: { type: 'string', format: 'uri' },
    age: { type: 'integer', minimum: 0, maximum: 150, default: 30 },
    share: { type: 'number', minimum: 0, maximum: 1 },
    news: { type: 'boolean', default: true },
    size: { type: 'string', enum: ['s', 'm'], enumNames: ['Small', 'Medium'] },
    colour: { type: 'string', oneOf: [{ const: '#f00', title: 'Red' }, { const: '#0f0' }], default: '#f00' },
    tags: { type: 'array', minItems: 1, maxItems: 2, items: { type: 'string', enum: ['a', 'b', 'c'] } },
    days: { type: 'array', items: { anyOf: [{ const: 'mo', title: 'Monday' }] }, default: ['mo'] },
  },
  required: ['name'],
};

function fieldsOf(given: unknown): readonly FormField[] {
  const form = readForm(given);
  assert.ok('fields' in form, JSON.stringify(form));
  return form.fields;
}

test('every kind of field of the protocol is read', () => {
  const fields = fieldsOf(schema);
  assert.deepEqual(
    fields.map(({ name, kind }) => [name, kind]),
    [
      ['name', 'text'],
      ['mail', 'text'],
      ['born', 'text'],
      ['at', 'text'],
      ['site', 'text'],
      ['age', 'integer'],
      ['share', 'number'],
      ['news', 'boolean'],
      ['size', 'choice'],
      ['colour', 'choice'],
      ['tags', 'choices'],
      ['days', 'choices'],
    ],
  );
  assert.deepEqual(fields[0], {
    name: 'name',
    label: 'Full name',
    description: 'As in the passport',
    isRequired: true,
    kind: 'text',
    minimum: 2,
    maximum: 10,
  });
  assert.deepEqual(fields[8]?.choices, [
    { value: 's', label: 'Small' },
    { value: 'm', label: 'Medium' },
  ]);
  assert.equal(fields[9]?.default, '#f00');
});

test('the schema of a form reads as the same form, without keywords that a form ignores', () => {
  const fields = fieldsOf(schema);
  const written = schemaOfForm(fields);
  assert.deepEqual(fieldsOf(written), fields);
  assert.doesNotMatch(JSON.stringify(written), /pattern|\$schema/);
});

test('answers are checked field by field, with the place of each problem', () => {
  const fields = fieldsOf(schema);
  const good = {
    name: 'Zoë',
    mail: 'zoe@example.org',
    born: '1999-12-31',
    at: '2026-03-14T09:30:00Z',
    site: 'https://example.org',
    age: 0,
    share: 0.5,
    news: false,
    size: 'm',
    colour: '#0f0',
    tags: ['a', 'b'],
  };
  assert.deepEqual(answerProblems(fields, good), []);
  assert.deepEqual(answerProblems(fields, { name: 'Zoë' }), []);
  const bad = {
    name: 'Z',
    mail: 'zoe',
    born: '1999-02-31x',
    at: 'noon',
    site: 'not an address',
    age: 1.5,
    share: 2,
    news: 'yes',
    size: 'l',
    colour: 'red',
    tags: ['a', 'a'],
    days: 'mo',
    other: 1,
    __proto__x: 1,
  };
  assert.deepEqual(
    answerProblems(fields, bad).map(({ pointer }) => pointer),
    [...Object.keys(schema.properties), 'other', '__proto__x'].map((name) => `/${name}`),
  );
  assert.deepEqual(answerProblems(fields, {}), [{ pointer: '/name', message: 'is required' }]);
  assert.deepEqual(answerProblems(fields, { name: 'Zoë', tags: [] })[0]?.message, 'needs at least 1 choices');
  assert.equal(answerProblems(fields, { name: 'x'.repeat(11) })[0]?.message, 'must have at most 10 characters');
});

test('schemas that are not forms are refused with the reason', () => {
  const field = (inner: unknown) => ({ type: 'object', properties: { f: inner } });
  const many = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`f${index}`, { type: 'string' }]));
  let deep: object = { type: 'string' };
  for (let level = 0; level < 5_000; level++) deep = { type: 'object', properties: { deep } };
  const schemas: readonly (readonly [unknown, RegExp])[] = [
    [undefined, /type is not "object"/],
    [{ type: 'string' }, /type is not "object"/],
    [{ type: 'object', properties: [] }, /properties are not valid/],
    [{ type: 'object', properties: {}, required: ['f'] }, /required field is missing/],
    [field(undefined), /no schema/],
    [field({ type: 'object' }), /neither text/],
    [field({ $ref: '#' }), /neither text/],
    [deep, /neither text/],
    [field({ type: 'array', items: { type: 'string' } }), /no choices/],
    [field({ type: 'string', enum: [] }), /0 choices/],
    [field({ type: 'string', enum: Array.from({ length: 501 }, (_, index) => `${index}`) }), /501 choices/],
    [field({ type: 'string', enum: ['a\u202eb'] }), /not plain text/],
    [field({ type: 'string', enum: [1] }), /not plain text/],
    [{ type: 'object', properties: JSON.parse('{"__proto__": {"type": "string"}}') }, /name/],
    [{ type: 'object', properties: { 'a\u200b': { type: 'string' } } }, /name/],
    [{ type: 'object', properties: many }, /51 fields/],
  ];
  for (const [given, reason] of schemas) {
    const form = readForm(given);
    assert.match('problem' in form ? form.problem : 'no problem', reason);
  }
});

test('texts of a form and a message cannot hide anything, and are cut', () => {
  const message = `Pay\u202e ${'x'.repeat(5_000)}`;
  const hidden = {
    type: 'object',
    properties: { a: { type: 'string', title: '\u001b[2Jcolour\u200b', description: 'd'.repeat(9_000) } },
  };
  const read = readElicitation({ mode: 'form', message, schema: hidden });
  assert.ok('request' in read);
  assert.equal(read.request.message.length <= 4_000 && !read.request.message.includes('\u202e'), true);
  const [field] = formOf(read.request);
  assert.equal(field?.label, 'colour');
  assert.equal(field?.description?.length, 2_000);
});

test('only pages that are safe to open are read', () => {
  const read = (url: string) => readElicitation({ mode: 'url', message: 'Open', url });
  for (const url of ['https://example.org/a', 'http://127.0.0.1:8080/', 'http://localhost/x', 'http://[::1]:1/']) {
    assert.ok('request' in read(url), url);
  }
  for (const url of [
    'http://example.org',
    'http://127.0.0.1.example.org',
    'file:///etc/passwd',
    'data:text/html,x',
    'x',
  ]) {
    assert.ok('problem' in read(url), url);
  }
  // The host is shown as it is looked up, so that it cannot look like another.
  const lookalike = read('https://еxample.org/');
  assert.ok('request' in lookalike && lookalike.request.mode === 'url' && lookalike.request.url.includes('xn--'));
});
