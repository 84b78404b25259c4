import assert from 'node:assert/strict';
import { isKernelError } from '@ravi/kernel';
import type { JsonSchema, JsonValue } from '@ravi/kernel';
import { test } from 'vitest';
import { SchemaCache } from '../../src/validation/schema-cache.ts';
import { createHarness } from '../support/harness.ts';
import { recordingTool } from '../support/tools.ts';

function refusalOf(schema: JsonSchema): string {
  try {
    new SchemaCache().compile(schema);
    return 'none';
  } catch (error) {
    assert.ok(isKernelError(error, 'E_TOOL_INVALID'), String(error));
    return error.message;
  }
}

/** `count` properties `p0`, `p1`, … with this schema. */
function properties(count: number, schema: JsonSchema): JsonSchema {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, schema]));
}

test('calls of a tool with an invalid schema fail with the reason, and other tools still work', async () => {
  const broken = recordingTool('broken', { inputSchema: { type: 'object', properties: { a: { type: 'any' } } } });
  const harness = createHarness([broken, recordingTool('fine')]);
  const result = await harness.call('broken', { a: 1 });
  assert.equal(result.status, 'error');
  assert.equal(result.error?.code, 'E_TOOL_INVALID');
  assert.equal(
    result.text,
    'The tool broken cannot be called. The schema is not valid: properties.a.type must be equal to one of the allowed values',
  );
  assert.deepEqual(broken.calls, []);
  assert.equal((await harness.call('fine')).status, 'ok');
});

test('a schema is refused for its size, its depth, its number of parts and its references', () => {
  assert.match(refusalOf({ description: 'x'.repeat(300_000) }), /larger than 262144 characters/);
  const deep = Array.from({ length: 100 }).reduce<JsonSchema>((inner) => ({ not: inner }), {});
  assert.match(refusalOf(deep), /nests deeper than 64 levels/);
  assert.match(refusalOf({ properties: properties(4_100, { type: 'string' }) }), /more than 4000 objects and lists/);
  assert.match(refusalOf({ $ref: 'https://example.com/schema.json' }), /can't resolve reference/);
  assert.match(refusalOf({ $ref: '#/$defs/nowhere' }), /can't resolve reference/);
  assert.match(refusalOf({ $async: true }), /asynchronous/);
  assert.match(refusalOf({ properties: { a: { $async: true, type: 'string' } } }), /async/);
});

test('a refusal is cached: compiling the same schema again throws the same error at once', () => {
  const cache = new SchemaCache();
  const schema = { $ref: '#/nowhere' };
  const errors = [schema, structuredClone(schema), schema].map((each) => {
    try {
      return cache.compile(each);
    } catch (error) {
      return error;
    }
  });
  assert.ok(isKernelError(errors[0], 'E_TOOL_INVALID'));
  assert.equal(errors[1], errors[0]);
  assert.equal(errors[2], errors[0]);
});

test('equal schemas of different tools are compiled once', () => {
  const cache = new SchemaCache();
  const schema = { properties: { a: { type: 'string' } } };
  assert.equal(cache.compile(structuredClone(schema)), cache.compile(structuredClone(schema)));
});

test('two schemas may have the same $id', () => {
  const cache = new SchemaCache();
  const first = cache.compile({ $id: 'https://example.com/arguments', properties: { a: { type: 'string' } } });
  const second = cache.compile({ $id: 'https://example.com/arguments', properties: { a: { type: 'number' } } });
  assert.deepEqual(first.validate({ a: 'x' }), []);
  assert.deepEqual(second.validate({ a: 1 }), []);
});

test('a schema that refers a thousand times to a large part of itself stays small when compiled', () => {
  const leaf = { type: 'object', properties: properties(400, { type: 'string', minLength: 3 }) };
  const bomb = { $defs: { leaf }, properties: properties(800, { $ref: '#/$defs/leaf' }) };
  const { validate } = new SchemaCache().compile(bomb);
  assert.equal(validate({ p3: { p7: 'ab' } })[0]?.instancePath, '/p3/p7');
});

test('alternatives that double at every step end with a clear error', async () => {
  const $defs: Record<string, JsonSchema> = { d64: { type: 'null' } };
  for (let level = 0; level < 64; level++) {
    const next = { $ref: `#/$defs/d${level + 1}` };
    $defs[`d${level}`] = { anyOf: [next, next] };
  }
  const bomb = { type: 'object', properties: { a: { $ref: '#/$defs/d0' } }, $defs };
  const result = await createHarness([recordingTool('bomb', { inputSchema: bomb })]).call('bomb', { a: 1 });
  assert.equal(result.error?.code, 'E_TOOL_INVALID');
  assert.match(result.text, /Validation needs more than 2000000 steps \(the maximum\)/);
});

test('a validation may follow as many references as the value has parts', async () => {
  const inputSchema = {
    properties: { rows: { type: 'array', items: { $ref: '#/$defs/row' } } },
    $defs: { row: { type: 'integer' } },
  };
  const harness = createHarness([recordingTool('t', { inputSchema })]);
  assert.equal((await harness.call('t', { rows: Array.from({ length: 200_000 }, (_, index) => index) })).status, 'ok');
});

test('a schema that refers to itself without end fails, one that follows its value works', async () => {
  const endless = recordingTool('endless', { inputSchema: { type: 'object', $ref: '#' } });
  const tree = recordingTool('tree', {
    inputSchema: {
      type: 'object',
      properties: { children: { type: 'array', items: { $ref: '#' } } },
      required: ['id'],
    },
  });
  const harness = createHarness([endless, tree]);
  assert.equal((await harness.call('endless')).error?.code, 'E_TOOL_INVALID');
  assert.equal((await harness.call('tree', { id: 1, children: [{ id: 2, children: [] }] })).status, 'ok');
  assert.match(
    (await harness.call('tree', { id: 1, children: [{}] })).text,
    /"children\[0\]" is missing the property "id"/,
  );
});

test('properties and data with the names of keywords are not changed', async () => {
  const inputSchema = {
    type: 'object',
    properties: { $ref: { type: 'string' }, enum: { $ref: '#/$defs/short' }, kind: { const: { $ref: 'x' } } },
    $defs: { short: { type: 'string', maxLength: 3 } },
  };
  const harness = createHarness([recordingTool('t', { inputSchema })]);
  assert.equal((await harness.call('t', { $ref: 'a', enum: 'abc', kind: { $ref: 'x' } })).status, 'ok');
  assert.match((await harness.call('t', { enum: 'abcd' })).text, /"enum" must not have more than 3 characters/);
  assert.match((await harness.call('t', { kind: { $ref: 'x', 'x-ravi-step': true } })).text, /"kind" must be/);
});

test('uniqueItems over a long list of objects ends, and equality is that of JSON', async () => {
  const inputSchema = { properties: { rows: { type: 'array', uniqueItems: true } } };
  const harness = createHarness([recordingTool('t', { inputSchema })]);
  const rows = Array.from({ length: 80_000 }, (_, id) => ({ id, name: 'x' }));
  assert.equal((await harness.call('t', { rows })).status, 'ok');
  assert.equal((await harness.call('t', { rows: [{ a: 1, b: 2 }, { b: 2, a: 1 }] })).status, 'error'); // prettier-ignore
  assert.equal((await harness.call('t', { rows: [1, '1', [1], true, null, 'true', 'null'] })).status, 'ok');
});

const different: readonly (readonly [name: string, item: (index: number) => JsonValue])[] = [
  ['fractions', (index) => ({ x: 0.001 * index })],
  ['pairs of fractions', (index) => [0.1 * index, -0.1 * index]],
  ['large numbers', (index) => ({ id: 2 ** 31 * index })],
  ['texts that start alike', (index) => ({ url: `${'https://example.com/'.repeat(20)}${index}` })],
  ['texts that end alike', (index) => ({ path: `/${index}/${'assets/'.repeat(20)}index.html` })],
  ['keys that end alike', (index) => ({ [`${index}/${'assets/'.repeat(20)}index.html`]: 1 })],
  ['values of two members', (index) => ({ x: index % 50, y: Math.floor(index / 50) })],
];

for (const [name, item] of different) {
  test(`uniqueItems accepts 5,000 objects that differ in one place, and finds one that repeats: ${name}`, async () => {
    const inputSchema = { properties: { rows: { type: 'array', uniqueItems: true } } };
    const harness = createHarness([recordingTool('t', { inputSchema })]);
    const rows = Array.from({ length: 5_000 }, (_, index) => item(index));
    assert.equal((await harness.call('t', { rows })).text, 'ok');
    const repeated = await harness.call('t', { rows: [...rows, item(4_000)] });
    assert.match(repeated.text, /must not have duplicate items/);
  });
}

test('uniqueItems takes the two zeros for the same value', async () => {
  const inputSchema = { properties: { rows: { type: 'array', uniqueItems: true } } };
  const harness = createHarness([recordingTool('t', { inputSchema })]);
  assert.equal((await harness.call('t', { rows: [{ x: 0 }, { x: -0 }] })).error?.code, 'E_ARGUMENTS_INVALID');
});

test('a pattern that stalls a backtracking engine runs in linear time', async () => {
  const tool = recordingTool('t', { inputSchema: { properties: { a: { type: 'string', pattern: '^(a+)+$' } } } });
  const harness = createHarness([tool]);
  assert.equal((await harness.call('t', { a: `${'a'.repeat(50_000)}!` })).error?.code, 'E_ARGUMENTS_INVALID');
  assert.equal((await harness.call('t', { a: 'a'.repeat(50_000) })).status, 'ok');
});

test('a pattern is refused when it cannot run in linear time or is too large', () => {
  const patternRefusal = (pattern: string) => refusalOf({ properties: { a: { type: 'string', pattern } } });
  assert.match(patternRefusal('^(?!x)y$'), /the pattern \^\(\?!x\)y\$ is not supported/);
  assert.match(patternRefusal('(a)\\1'), /not supported/);
  assert.match(patternRefusal('a{1,5000}'), /not supported \(invalid repeat count/);
  assert.match(patternRefusal('('), /not supported/);
  assert.match(patternRefusal('x'.repeat(5_000)), /longer than 4096 characters/);
  const many = { properties: Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`p${index}`, { pattern: `a${index}{900}` }])) }; // prettier-ignore
  assert.match(refusalOf(many), /patterns compile to more than 10000 instructions/);
});

test('a slow pattern on a long text ends with a clear error', async () => {
  const inputSchema = { properties: { a: { pattern: '(.*a){900}' } } };
  const result = await createHarness([recordingTool('t', { inputSchema })]).call('t', { a: 'a'.repeat(100_000) });
  assert.equal(result.error?.code, 'E_TOOL_INVALID');
  assert.match(result.text, /A text of 100000 characters is too long to be matched against the pattern/);
});

test('a property named __proto__ in a schema pollutes nothing', async () => {
  const inputSchema = JSON.parse(
    '{"type":"object","properties":{"__proto__":{"$ref":"#/$defs/a"}},"$defs":{"a":{"type":"string"},"__proto__":{}}}',
  ) as JsonSchema;
  const result = await createHarness([recordingTool('t', { inputSchema })]).call('t', { a: 1 });
  assert.equal(result.status, 'ok');
  assert.equal(({} as { $ref?: string }).$ref, undefined);
});
