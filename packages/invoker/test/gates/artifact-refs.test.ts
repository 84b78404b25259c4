import assert from 'node:assert/strict';
import { isKernelError } from '@ravi/kernel';
import type { ArtifactStream, JsonSchema, Tool } from '@ravi/kernel';
import { createTestBlobs } from '@ravi/testkit';
import { test } from 'vitest';
import { createHarness } from '../support/harness.ts';
import { recordingTool } from '../support/tools.ts';

const own = { principal: 'ada', sessionId: 'session' };

/** A tool with this schema and a store. */
function setUp(inputSchema: JsonSchema, overrides: Partial<Omit<Tool, 'execute'>> = {}) {
  const artifactStore = createTestBlobs();
  const tool = recordingTool('t', { inputSchema, ...overrides });
  const harness = createHarness([tool], { artifactStore });
  const put = (text: string, mediaType = 'text/plain', scope = own) => artifactStore.put(text, { mediaType, scope });
  return { artifactStore, tool, harness, put };
}

const ref = ($artifact: string) => ({ $artifact });

const isCorrupt = (error: unknown): boolean => isKernelError(error, 'E_BLOB_CORRUPT');

test('a ref is replaced by text, JSON or bytes, as the schema asks at its place', async () => {
  const { tool, harness, put } = setUp({
    type: 'object',
    properties: {
      text: { type: 'string' },
      rows: { type: 'array' },
      row: { type: 'object' },
      count: { type: 'integer' },
      raw: { type: 'string', format: 'binary' },
    },
    additionalProperties: false,
  });
  const result = await harness.call('t', {
    text: ref(put('[1]', 'application/json')),
    rows: ref(put('[{"a":1}]')),
    row: ref(put('{"b":[2]}')),
    count: ref(put('42')),
    raw: ref(put('é')),
  });
  assert.equal(result.status, 'ok', result.text);
  const [{ raw, ...rest }] = tool.calls as unknown as [{ raw: Uint8Array }];
  assert.deepEqual(rest, { text: '[1]', rows: [{ a: 1 }], row: { b: [2] }, count: 42 });
  assert.deepEqual([...raw], [0xc3, 0xa9]);
});

test('a schema that does not say gets JSON for JSON content and text otherwise', async () => {
  for (const schema of [
    {},
    { properties: { a: {} } },
    { properties: { a: { type: ['string', 'object', 'array'] } } },
  ]) {
    const { tool, harness, put } = setUp(schema);
    await harness.call('t', { a: ref(put('[1]', 'application/json')) });
    await harness.call('t', { a: ref(put('[1]', 'text/csv')) });
    assert.deepEqual(tool.calls, [{ a: [1] }, { a: '[1]' }]);
  }
});

test('refs are found at any depth, and their schemas through $ref, items, tuples, maps and alternatives', async () => {
  const { tool, harness, put } = setUp({
    type: 'object',
    $defs: { note: { type: 'string' }, 'odd/name': { properties: { body: { $ref: '#/$defs/note' } } } },
    properties: {
      list: { type: 'array', items: { $ref: '#/$defs/odd~1name' } },
      tuple: { type: 'array', prefixItems: [{ type: 'number' }, { type: 'string' }], items: { type: 'object' } },
      map: { type: 'object', additionalProperties: { type: 'string' } },
      either: { anyOf: [{ type: 'null' }, { type: 'string' }] },
      all: { allOf: [{ $ref: '#/$defs/note' }, { maxLength: 9 }] },
      self: { $ref: '#' },
    },
  });
  const json = () => ref(put('{"x":1}', 'application/json'));
  const result = await harness.call('t', {
    list: [{}, { body: json() }],
    tuple: [1, json(), json()],
    map: { any: json() },
    either: json(),
    all: json(),
    self: { self: { either: json() } },
  });
  assert.equal(result.status, 'ok', result.text);
  const text = '{"x":1}';
  assert.deepEqual(tool.calls, [
    {
      list: [{}, { body: text }],
      tuple: [1, text, { x: 1 }],
      map: { any: text },
      either: text,
      all: text,
      self: { self: { either: text } },
    },
  ]);
});

test('a draft-07 tuple is supported too', async () => {
  const { tool, harness, put } = setUp({
    $schema: 'http://json-schema.org/draft-07/schema#',
    properties: { a: { type: 'array', items: [{ type: 'string' }], additionalItems: { type: 'object' } } },
  });
  await harness.call('t', { a: [ref(put('{}')), ref(put('{}'))] });
  assert.deepEqual(tool.calls, [{ a: ['{}', {}] }]);
});

test('the place of a ref is validated after its content is inserted, everything else before', async () => {
  const schema = {
    type: 'object',
    properties: { rows: { type: 'array', maxItems: 1 }, name: { type: 'string' } },
    required: ['name'],
  };
  const tooLong = setUp(schema);
  const after = await tooLong.harness.call('t', { name: 'x', rows: ref(tooLong.put('[1,2]')) });
  assert.equal(after.error?.code, 'E_ARGUMENTS_INVALID');
  assert.match(after.text, /"rows" must not have more than 1 items/);
  assert.deepEqual(tooLong.artifactStore.resolved, ['blob_1']);

  const missing = setUp(schema);
  const before = await missing.harness.call('t', { rows: ref(missing.put('[1]')) });
  assert.match(before.text, /missing the property "name"/);
  assert.deepEqual(missing.artifactStore.resolved, [], 'nothing was read');
});

test('an alternative that a ref may still match is not validated before the content is inserted', async () => {
  const branch = (kind: string, body: JsonSchema) => ({
    type: 'object',
    properties: { kind: { const: kind }, body },
    required: ['kind', 'body'],
    additionalProperties: false,
  });
  const schema = {
    type: 'object',
    properties: { message: { anyOf: [{ $ref: '#/$defs/plain' }, { $ref: '#/$defs/rich' }] }, to: { type: 'string' } },
    $defs: { plain: branch('plain', { type: 'string', maxLength: 3 }), rich: branch('rich', { type: 'object' }) },
  };
  const { tool, harness, put } = setUp(schema);
  const send = (kind: string, text: string, to: unknown = 'x') =>
    harness.call('t', { message: { kind, body: ref(put(text, 'application/json')) }, to });
  assert.equal((await send('rich', '{"b":1}')).status, 'ok');
  assert.deepEqual(tool.calls, [{ message: { kind: 'rich', body: { b: 1 } }, to: 'x' }]);
  assert.match((await send('rich', '{"b":1}', 7)).text, /"to" must be a string/);
  assert.equal((await send('poor', '{"b":1}')).error?.code, 'E_ARGUMENTS_INVALID');
  assert.equal(tool.calls.length, 1);
});

test('text that is not JSON is refused where the schema asks for JSON, with the ref and the place', async () => {
  const { tool, harness, put } = setUp({ properties: { a: { properties: { rows: { type: 'array' } } } } });
  const result = await harness.call('t', { a: { rows: ref(put('name,age')) } });
  assert.equal(result.error?.code, 'E_ARGUMENTS_INVALID');
  assert.match(result.text, /the artifact blob_1 \(text\/plain\) is not JSON, which "a\.rows" must be/);
  assert.deepEqual(tool.calls, []);
});

test('the arguments as a whole may be a ref, as long as it holds an object', async () => {
  const { tool, harness, put } = setUp({ required: ['name'] });
  assert.equal((await harness.call('t', ref(put('{"name":"x"}', 'application/json')))).status, 'ok');
  for (const content of ['[1]', '"text"', 'null', '{}']) {
    const result = await harness.call('t', ref(put(content, 'application/json')));
    assert.equal(result.error?.code, 'E_ARGUMENTS_INVALID', content);
  }
  assert.deepEqual(tool.calls, [{ name: 'x' }]);
});

test('content with a key that pollutes prototypes is refused', async () => {
  const { tool, harness, put } = setUp({ properties: { a: { type: 'object' } } });
  for (const content of [
    '{"x":[{"__proto__":{"isAdmin":true}}]}',
    '{"\\u005f_proto__":1}',
    '{"constructor":{"prototype":{}}}',
  ]) {
    const result = await harness.call('t', { a: ref(put(content)) });
    assert.equal(result.error?.code, 'E_ARGUMENTS_INVALID', content);
  }
  assert.deepEqual(tool.calls, []);
  assert.equal(
    (await harness.call('t', { a: ref(put('{"text":"about __proto__","constructor":"ACME"}')) })).status,
    'ok',
  );
});

test('deeply nested content is passed on, or refused if its schema is recursive', async () => {
  const deep = `${'['.repeat(50_000)}"about __proto__"${']'.repeat(50_000)}`;
  const plain = setUp({ properties: { a: { type: 'array' } } });
  assert.equal((await plain.harness.call('t', { a: ref(plain.put(deep)) })).status, 'ok');
  const following = setUp({
    properties: { a: { $ref: '#/$defs/list' } },
    $defs: { list: { type: ['array', 'string'], items: { $ref: '#/$defs/list' } } },
  });
  const result = await following.harness.call('t', { a: ref(following.put(deep, 'application/json')) });
  assert.equal(result.error?.code, 'E_TOOL_INVALID');
  assert.match(result.text, /nested too deeply|of its references are nested/);
});

test('a ref of another session or another principal is refused and never read', async () => {
  for (const scope of [
    { principal: 'ada', sessionId: 'other' },
    { principal: 'eve', sessionId: 'session' },
  ]) {
    const { artifactStore, tool, harness, put } = setUp({});
    const result = await harness.call('t', { a: ref(put('secret', 'text/plain', scope)) });
    assert.equal(result.status, 'error');
    assert.equal(result.error?.code, 'E_ARTIFACT_FORBIDDEN');
    assert.deepEqual(artifactStore.resolved, []);
    assert.deepEqual(tool.calls, []);
  }
});

test('a ref without content is refused before the tool runs: unknown, deleted, and every ref without a store', async () => {
  for (const overrides of [{}, { artifacts: 'stream' }] as const) {
    const { artifactStore, tool, harness, put } = setUp({}, overrides);
    const deleted = put('x');
    await artifactStore.delete(deleted);
    for (const missing of ['nowhere', deleted]) {
      const result = await harness.call('t', { a: ref(missing) });
      assert.equal(result.error?.code, 'E_BLOB_NOT_FOUND');
      assert.match(result.text, new RegExp(`There is no artifact ${missing}`));
    }
    assert.deepEqual(tool.calls, []);
  }
  const tool = recordingTool('t');
  assert.equal((await createHarness([tool]).call('t', { a: ref('x') })).error?.code, 'E_BLOB_NOT_FOUND');
  assert.deepEqual(tool.calls, []);
});

test('a store that fails stops the call with its own code and retryable flag', async () => {
  for (const operation of ['stat', 'resolve'] as const) {
    const { artifactStore, tool, harness, put } = setUp({});
    const known = put('x');
    artifactStore.break(operation);
    const result = await harness.call('t', { a: ref(known) });
    assert.equal(result.error?.code, 'E_BLOB_UNAVAILABLE', operation);
    assert.equal(result.error?.retryable, true);
    assert.match(result.text, /The artifact blob_1 cannot be read: The disk is full/);
    assert.deepEqual(tool.calls, []);
  }
});

test('a tool that declares streams gets a handle and the content is not read for it', async () => {
  const { artifactStore, tool, harness, put } = setUp(
    { properties: { file: { type: 'string', maxLength: 2 } } },
    { artifacts: 'stream' },
  );
  assert.equal((await harness.call('t', { file: ref(put('name,age', 'text/csv')) })).status, 'ok');
  const { file } = tool.calls[0] as unknown as { file: ArtifactStream };
  assert.deepEqual([file.ref, file.mediaType, file.bytes], ['blob_1', 'text/csv', 8]);
  assert.deepEqual(artifactStore.resolved, []);
  const chunks: Uint8Array[] = [];
  for await (const chunk of await file.open({ offset: 5 })) chunks.push(chunk);
  assert.equal(Buffer.concat(chunks).toString(), 'age');
});

test('a stream is passed only where the schema asks for free text or bytes; other places get a checked value', async () => {
  const { tool, harness, put } = setUp(
    {
      type: 'object',
      properties: {
        cents: { type: 'integer', maximum: 100 },
        currency: { enum: ['EUR', 'USD'] },
        account: { type: 'string', pattern: '^DE' },
        note: { type: 'string' },
        lines: { type: 'array', items: { type: 'object' } },
      },
      patternProperties: { '^max_': { type: 'integer', maximum: 100 } },
      additionalProperties: false,
    },
    { artifacts: 'stream' },
  );
  const refused: Readonly<Record<string, string>> = {
    cents: '100000',
    currency: 'GBP',
    account: 'FR76',
    lines: '[1]',
    max_fee: '100000',
  };
  for (const [name, text] of Object.entries(refused)) {
    const result = await harness.call('t', { [name]: ref(put(text)) });
    assert.equal(result.error?.code, 'E_ARGUMENTS_INVALID', name);
  }
  assert.deepEqual(tool.calls, []);
  const fitting = { cents: '7', currency: 'EUR', account: 'DE02', lines: '[{}]', max_fee: '8' };
  const args = Object.fromEntries(Object.entries(fitting).map(([name, text]) => [name, ref(put(text))]));
  assert.equal((await harness.call('t', { ...args, note: ref(put('text')) })).status, 'ok');
  const [{ note, ...values }] = tool.calls as unknown as [{ note: ArtifactStream }];
  assert.deepEqual(values, { cents: 7, currency: 'EUR', account: 'DE02', lines: [{}], max_fee: 8 });
  assert.equal(note.bytes, 4);
});

test('artifacts that one call reads into memory are limited in all', async () => {
  const { artifactStore, tool, harness, put } = setUp({});
  const stat = artifactStore.stat.bind(artifactStore);
  artifactStore.stat = async (each) => {
    const found = await stat(each);
    return found === undefined ? undefined : { ...found, bytes: 100_000_000 };
  };
  const same = put('x');
  const result = await harness.call('t', { a: ref(same), b: ref(same), c: ref(same) });
  assert.match(result.text, /have 300000000 bytes; one call may read at most 268435456/);
  assert.deepEqual(tool.calls, []);
});

test('content that does not have the SHA-256 of its metadata never runs, as a value or as a stream', async () => {
  for (const overrides of [{}, { artifacts: 'stream' }] as const) {
    const { artifactStore, tool, harness, put } = setUp({ properties: { a: { type: 'string' } } }, overrides);
    const known = put('checked');
    artifactStore.resolve = async () => Buffer.from('changed');
    artifactStore.open = async () => new Blob(['changed']).stream();
    const result = await harness.call('t', { a: ref(known) });
    if (overrides.artifacts === 'stream') {
      const { a } = tool.calls[0] as unknown as { a: ArtifactStream };
      await assert.rejects(new Response(await a.open()).text(), isCorrupt);
    } else {
      assert.equal(result.error?.code, 'E_BLOB_CORRUPT');
      assert.deepEqual(tool.calls, []);
    }
  }
});

test('the digest covers the content of a ref, not its name', async () => {
  const { harness, put } = setUp({});
  const digestOf = async (args: object) => {
    await harness.call('t', args);
    return harness.session.trace.at(-1)!.argsDigest;
  };
  const first = await digestOf({ a: [ref(put('same'))] });
  assert.equal(await digestOf({ a: [ref(put('same'))] }), first);
  assert.notEqual(await digestOf({ a: [ref(put('other'))] }), first);
  assert.notEqual(await digestOf({ a: ['same'] }), first);
});

test('the trace never shows the content of a ref', async () => {
  const { harness, put } = setUp({});
  await harness.call('t', { a: ref(put('content')) });
  assert.equal(harness.onlyRecord().argsPreview, '{"a":{"$artifact":"blob_1"}}');
});

test('an approver reads the content that the tool receives, and no other artifact', async () => {
  const artifactStore = createTestBlobs();
  const tool = recordingTool('t', {
    inputSchema: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } } },
    risk: 'high',
  });
  const read: string[] = [];
  const harness = createHarness([tool], {
    artifactStore,
    approvalHandler: {
      async request(_request, { artifacts = [] }) {
        for (const artifact of artifacts) read.push(new TextDecoder().decode(await artifact.read()));
        return { decision: 'approved' };
      },
    },
  });
  const put = (text: string): string => artifactStore.put(text, { mediaType: 'text/plain', scope: own });
  put('not named');
  const first = put('pay 900');
  const result = await harness.call('t', { a: ref(first), b: ref(first) });
  assert.equal(result.status, 'ok', result.text);
  assert.deepEqual(read, ['pay 900']);
  assert.deepEqual(tool.calls, [{ a: 'pay 900', b: 'pay 900' }]);
});
