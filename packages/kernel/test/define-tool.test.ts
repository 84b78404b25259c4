import assert from 'node:assert/strict';
import { test } from 'vitest';
import { defineTool, isKernelError, isStandardSchema, jsonSchemaOf, KernelError } from '../src/index.ts';
import type { JsonObject, StandardSchema, ToolContext } from '../src/index.ts';

const context = {} as ToolContext;

/** A Standard Schema of `{ n: number }` that doubles `n`, as zod and valibot implement it. */
const doubled: StandardSchema<{ n: string }, { n: number }> = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value) => {
      const n = Number((value as { n: string }).n);
      return Number.isNaN(n)
        ? { issues: [{ message: 'n is not a number' }, { message: 'really' }] }
        : { value: { n: 2 * n } };
    },
    jsonSchema: {
      input: ({ target }) => ({ $schema: target, properties: { n: { type: 'string' } } }),
      output: () => ({ properties: { n: { type: 'number' } } }),
    },
  },
};

const execute = (output: unknown) =>
  defineTool({ name: 't', description: 'T.', inputSchema: {}, execute: () => output as string }).execute({}, context);

test('a text becomes a text block, any other value structured content, nothing an empty result', async () => {
  assert.deepEqual(await execute('hi'), { content: [{ type: 'text', text: 'hi' }], isError: false });
  for (const value of [{ a: 1 }, [1], 7, false, null, '' as unknown, { content: 'x' }]) {
    const expected =
      value === ''
        ? { content: [{ type: 'text', text: '' }], isError: false }
        : { content: [], isError: false, structuredContent: value };
    assert.deepEqual(await execute(value), expected);
  }
  assert.deepEqual(await execute(undefined), { content: [], isError: false });
});

test('a full result is handed on as it is', async () => {
  const full = { content: [{ type: 'text' as const, text: 'no' }], isError: true, metadata: { a: 1 } };
  assert.equal(await execute(full), full);
});

test('a JSON Schema stays what it is, and arguments are JSON', async () => {
  const inputSchema = { type: 'object', properties: { a: { type: 'string' } } };
  const tool = defineTool({
    name: 't',
    description: 'T.',
    inputSchema,
    risk: 'high',
    execute: (args: JsonObject) => args,
  });
  assert.equal(tool.inputSchema, inputSchema);
  assert.equal(tool.risk, 'high');
  assert.deepEqual((await tool.execute({ a: 'x' }, context)).structuredContent, { a: 'x' });
});

test('a Standard Schema gives its JSON Schema, its parsed arguments and their types', async () => {
  const tool = defineTool({
    name: 't',
    description: 'T.',
    inputSchema: doubled,
    outputSchema: doubled,
    execute: ({ n }) => n.toFixed(1),
  });
  assert.deepEqual(tool.inputSchema, { $schema: 'draft-2020-12', properties: { n: { type: 'string' } } });
  assert.deepEqual(tool.outputSchema, { properties: { n: { type: 'number' } } });
  assert.deepEqual((await tool.execute({ n: '21' }, context)).content, [{ type: 'text', text: '42.0' }]);
});

test('risk and lock keys of a Standard Schema are derived from the parsed arguments, which are what runs', () => {
  const tool = defineTool({
    name: 't',
    description: 'T.',
    inputSchema: doubled,
    classifyRisk: ({ n }) => ({ risk: n > 40 ? 'critical' : 'high' }),
    concurrency: { keys: ({ n }) => [n.toFixed(0)] },
    execute: ({ n }) => n,
  });
  assert.deepEqual(tool.classifyRisk?.({ n: '21' }), { risk: 'critical' });
  assert.deepEqual(typeof tool.concurrency === 'object' && tool.concurrency.keys({ n: '21' }), ['42']);
  assert.throws(() => tool.classifyRisk?.({ n: 'x' }), /Invalid arguments: n is not a number/);
});

test('with a Standard Schema a check gets the parsed arguments, and its exception is that of the call', async () => {
  const tool = defineTool({
    name: 't',
    description: 'T.',
    inputSchema: doubled,
    async checkCall({ n }) {
      if (n > 40) throw new KernelError('E_ARGUMENTS_INVALID', `${n.toFixed(0)} is too much`);
    },
    execute: ({ n }) => n,
  });
  await tool.checkCall?.({ n: '2' }, context);
  const refused = async (n: string): Promise<void> => tool.checkCall?.({ n }, context);
  await assert.rejects(refused('21'), /42 is too much/);
  await assert.rejects(refused('x'), /Invalid arguments: n is not a number/);
});

test('a schema that validates asynchronously cannot classify', () => {
  const inputSchema = {
    '~standard': { ...doubled['~standard'], validate: async () => ({ value: { n: 1 } }) },
  } as typeof doubled;
  const classifyRisk = (): never => assert.fail('it was called');
  const tool = defineTool({ name: 't', description: 'T.', inputSchema, classifyRisk, execute: () => '' });
  assert.throws(() => tool.classifyRisk?.({}), /The schema of t validates asynchronously/);
});

test('arguments that a Standard Schema refuses are invalid arguments with every issue', async () => {
  const tool = defineTool({ name: 't', description: 'T.', inputSchema: doubled, execute: () => 'ran' });
  await assert.rejects(
    tool.execute({ n: 'x' }, context),
    (error) =>
      isKernelError(error, 'E_ARGUMENTS_INVALID') && error.message === 'Invalid arguments: n is not a number; really',
  );
});

test('a Standard Schema without a JSON form is a mistake of the author', () => {
  const { jsonSchema: _, ...rest } = doubled['~standard'];
  assert.throws(
    () => defineTool({ name: 't', description: 'T.', inputSchema: { '~standard': rest }, execute: () => 'x' }),
    (error) => error instanceof TypeError && /The test schema has no JSON Schema form/.test(error.message),
  );
});

test('a definition without a function execute is a mistake of the author, by name', () => {
  for (const execute of [undefined, 'text', {}]) {
    assert.throws(
      () => defineTool({ name: 'bare', description: 'T.', inputSchema: {}, execute } as never),
      (error) => error instanceof TypeError && /The tool bare has no function execute/.test(error.message),
    );
  }
});

test('execute keeps its this, and symbols of the definition stay', async () => {
  const brand = Symbol('brand');
  const tool = defineTool({
    name: 't',
    description: 'T.',
    inputSchema: {},
    [brand]: true,
    execute() {
      return (this as { name: string }).name;
    },
  } as Parameters<typeof defineTool>[0]);
  assert.deepEqual((await tool.execute({}, context)).content, [{ type: 'text', text: 't' }]);
  assert.equal((tool as { [brand]?: boolean })[brand], true);
});

test('a function may be a Standard Schema, a JSON Schema never is', () => {
  assert.equal(isStandardSchema(Object.assign(() => {}, doubled)), true);
  for (const value of [{}, { type: 'object' }, null, undefined, 'x']) assert.equal(isStandardSchema(value), false);
  assert.deepEqual(jsonSchemaOf(doubled, 'output'), { properties: { n: { type: 'number' } } });
});
