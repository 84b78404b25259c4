import assert from 'node:assert/strict';
import type { JsonSchema } from '@ravi/kernel';
import { test } from 'vitest';
import { createHarness } from '../support/harness.ts';
import { recordingTool } from '../support/tools.ts';

/** Returns the text that a model reads after a call with these arguments; `ok` if they match. */
async function answer(inputSchema: JsonSchema, args: unknown): Promise<string> {
  const tool = recordingTool('t', { inputSchema });
  const result = await createHarness([tool]).call('t', args);
  if (result.status === 'ok') return 'ok';
  assert.equal(result.error?.code, 'E_ARGUMENTS_INVALID', result.text);
  assert.deepEqual(tool.calls, []);
  return result.text.replace('Invalid arguments for t: ', '');
}

const person: JsonSchema = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 1 },
    age: { type: 'integer', minimum: 0 },
    mood: { enum: ['calm', 'angry', 7] },
    tags: { type: 'array', items: { type: 'string' }, uniqueItems: true },
    address: { type: 'object', properties: { 'zip/code': { type: 'string', pattern: '^\\d{5}$' } } },
    either: { anyOf: [{ type: 'string' }, { type: 'number' }] },
    maybe: { type: ['string', 'null'] },
    version: { const: 2 },
  },
  required: ['name'],
  additionalProperties: false,
};

test('a problem is described in plain words with its place', async () => {
  const said: readonly (readonly [unknown, string])[] = [
    [{}, 'The arguments are missing the property "name"'],
    [{ name: 'a', nam: 'b' }, 'The arguments have the unknown property "nam"; did you mean "name"?'],
    [{ name: 'a', zzz: 1 }, 'The arguments have the unknown property "zzz"'],
    [{ name: 7 }, '"name" must be a string'],
    [{ name: '' }, '"name" must not have fewer than 1 characters'],
    [{ name: 'a', age: 1.5 }, '"age" must be an integer'],
    [{ name: 'a', age: -1 }, '"age" must be >= 0'],
    [{ name: 'a', mood: 'sad' }, '"mood" must be one of "calm", "angry", 7'],
    [{ name: 'a', tags: ['x', 2] }, '"tags[1]" must be a string'],
    [{ name: 'a', tags: ['x', 'x'] }, '"tags" must not have duplicate items'],
    [{ name: 'a', address: { 'zip/code': '1' } }, '"address.zip/code" must match the pattern ^\\d{5}$'],
    [{ name: 'a', either: true }, '"either" must be a string or a number'],
    [{ name: 'a', maybe: 1 }, '"maybe" must be a string or a null'],
    [{ name: 'a', version: 3 }, '"version" must be 2'],
    [{ name: 'a', age: 3, maybe: null, either: 1, version: 2, mood: 7 }, 'ok'],
  ];
  for (const [args, text] of said) assert.equal(await answer(person, args), text);
});

test('a long list of allowed values is cut', async () => {
  const text = await answer(
    { properties: { a: { enum: Array.from({ length: 500 }, (_, index) => index) } } },
    { a: -1 },
  );
  assert.match(text, /^"a" must be one of 0, 1, .*, 19, … \(500 values\)$/);
});

test('of several alternatives the one that matched furthest is explained', async () => {
  const shape = (kind: string, size: string) => ({
    type: 'object',
    properties: { kind: { const: kind }, [size]: { type: 'number' } },
    required: ['kind', size],
  });
  const schema = {
    type: 'object',
    properties: { shape: { anyOf: [shape('circle', 'radius'), shape('square', 'side')] } },
  };
  assert.equal(await answer(schema, { shape: { kind: 'circle', radius: 'big' } }), '"shape.radius" must be a number');
  assert.equal(
    await answer(schema, { shape: { kind: 'star', radius: 1, side: 1 } }),
    '"shape.kind" must be one of "circle", "square"',
  );
  const overlapping = { properties: { a: { oneOf: [{ type: 'number' }, { minimum: 0 }] } } };
  assert.equal(await answer(overlapping, { a: 1 }), '"a" must match exactly one schema in oneOf');
});

test('values are not coerced, and defaults are not filled in', async () => {
  assert.equal(await answer({ properties: { a: { type: 'number' } } }, { a: '1' }), '"a" must be a number');
  assert.equal(await answer({ properties: { a: { type: 'boolean' } } }, { a: 'true' }), '"a" must be a boolean');
  assert.equal(await answer({ properties: { a: { type: 'array' } } }, { a: 'x' }), '"a" must be an array');
  const tool = recordingTool('t', { inputSchema: { properties: { a: { type: 'number', default: 1 } } } });
  await createHarness([tool]).call('t', {});
  assert.deepEqual(tool.calls, [{}]);
});

test('only own properties count: inherited ones do not satisfy a requirement', async () => {
  for (const name of ['toString', 'constructor', 'valueOf']) {
    assert.match(await answer({ type: 'object', required: [name] }, {}), /missing the property/);
  }
});

test('arguments must be an object, even if the schema allows more', async () => {
  for (const [args, kind] of [
    [null, 'null'],
    [7, 'a number'],
    ['{}', 'a string'],
    [[], 'an array'],
  ] as const) {
    assert.equal(await answer({}, args), `The arguments must be an object, not ${kind}`);
  }
});

test('$schema selects draft-07 or 2020-12', async () => {
  const tuple = { type: 'array', items: [{ type: 'string' }], additionalItems: false };
  const draft07 = { $schema: 'http://json-schema.org/draft-07/schema#', properties: { a: tuple } };
  assert.equal(await answer(draft07, { a: ['x', 1] }), '"a" must not have more than 1 items');
  const modern = { properties: { a: { type: 'array', prefixItems: [{ type: 'string' }], items: false } } };
  assert.equal(
    await answer({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...modern }, { a: [1] }),
    '"a[0]" must be a string',
  );
  assert.equal(await answer(modern, { a: ['x', 1] }), '"a" must not have more than 1 items');
});

test('formats are annotations and are not checked', async () => {
  assert.equal(await answer({ properties: { a: { type: 'string', format: 'email' } } }, { a: 'not an address' }), 'ok');
});

test('patterns have the same meaning as in JavaScript, also beyond ASCII', async () => {
  const matches = async (pattern: string, text: string) =>
    (await answer({ properties: { a: { pattern } } }, { a: text })) === 'ok';
  assert.equal(await matches('^[\\u4e00-\\u9fff]+$', '中文'), true);
  assert.equal(await matches('^[\\u4e00-\\u9fff]+$', 'abc'), false);
  assert.equal(await matches('^\\p{L}+$', 'é'), true);
  assert.equal(await matches('^.$', '😀'), true);
  assert.equal(await matches('a$', 'a\n'), false);
  assert.equal(await matches('^(?<year>\\d{4})\\/', '2025/'), true);
});

test('two patterns of one schema are checked independently', async () => {
  const schema = { properties: { a: { pattern: '^a$' }, b: { pattern: '^b$' } } };
  assert.equal(await answer(schema, { a: 'a', b: 'b' }), 'ok');
  assert.equal(await answer(schema, { a: 'a', b: 'a' }), '"b" must match the pattern ^b$');
});

test('the policy bounds the size of the arguments, and the tool never sees more', async () => {
  const tool = recordingTool('t');
  const harness = createHarness([tool], { policy: { maxArgumentBytes: 100 } });
  assert.equal((await harness.call('t', { a: 'x'.repeat(80) })).status, 'ok');
  const result = await harness.call('t', { a: 'x'.repeat(100) });
  assert.equal(result.error?.code, 'E_ARGUMENTS_INVALID');
  assert.match(result.text, /larger than 100 bytes \(maxArgumentBytes\)/);
  assert.equal(tool.calls.length, 1);
});
