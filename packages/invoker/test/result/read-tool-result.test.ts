import assert from 'node:assert/strict';
import { KernelError } from '@ravi/kernel';
import type { JsonValue } from '@ravi/kernel';
import { createTestBlobs } from '@ravi/testkit';
import { test } from 'vitest';
import { createHarness } from '../support/harness.ts';
import { recordingTool, valueResult } from '../support/tools.ts';

async function returned(result: unknown) {
  const harness = createHarness([recordingTool('t', { run: () => result })], { artifactStore: createTestBlobs() });
  const answer = await harness.call('t');
  assert.equal(harness.session.trace.length, 1);
  return answer;
}

async function thrown(error: unknown, hostPaths: readonly string[] = []) {
  const tool = recordingTool('t', {
    run() {
      throw error;
    },
  });
  const harness = createHarness([tool], { hostPaths });
  const result = await harness.call('t');
  assert.equal(result.status, 'error');
  assert.equal(harness.onlyRecord().status, 'error');
  return result.error!;
}

test('an error reaches the model with its message, its code and its retryable flag', async () => {
  assert.deepEqual(await thrown(new Error('The table is gone')), {
    code: 'E_TOOL_FAILED',
    message: 'The table is gone',
    retryable: false,
  });
  assert.deepEqual(await thrown(Object.assign(new Error('no such file'), { code: 'ENOENT' })), {
    code: 'ENOENT',
    message: 'no such file',
    retryable: false,
  });
  assert.deepEqual(await thrown(new KernelError('E_RATE_LIMIT', 'slow down', { retryable: true, retryAfterMs: 500 })), {
    code: 'E_RATE_LIMIT',
    message: 'slow down',
    retryable: true,
    retryAfterMs: 500,
  });
  assert.equal((await thrown(new Error(''))).message, 'The tool t failed');
});

test('a code of the runtime is accepted only from a KernelError', async () => {
  for (const code of ['E_APPROVAL_DENIED', 'E_BUDGET_EXHAUSTED', 'E_OF_MY_OWN']) {
    assert.equal((await thrown(Object.assign(new Error('no'), { code }))).code, 'E_TOOL_FAILED');
    assert.equal((await thrown({ code })).code, 'E_TOOL_FAILED');
    assert.equal((await thrown(new KernelError(code, 'no'))).code, code);
  }
});

test('a tool may throw a value that is not an Error', async () => {
  for (const [value, message] of [
    ['plain text', 'The tool t threw "plain text"'],
    [undefined, 'The tool t threw undefined'],
    [null, 'The tool t threw null'],
    [42n, 'The tool t threw 42'],
    [Symbol('x'), 'The tool t threw Symbol(x)'],
    [{ reason: 'x' }, 'The tool t threw {"reason":"x"}'],
    [Object.create(null), 'The tool t threw {}'],
  ] as const) {
    assert.equal((await thrown(value)).message, message);
  }
});

test('a thrown value whose getters throw is still only a failed tool', async () => {
  const explosive = () => {
    throw new Error('boom');
  };
  const hostile: readonly unknown[] = [
    Object.freeze(Object.defineProperty(new Error('x'), 'message', { get: explosive })),
    Object.defineProperty(new Error('x'), 'code', { get: explosive }),
    Object.defineProperty(new Error('x'), 'message', { value: { not: 'text' } }),
    new Proxy({}, { get: explosive, getPrototypeOf: explosive, ownKeys: explosive, has: explosive }),
    new Proxy(new Error('x'), { get: explosive }),
    { toJSON: explosive, toString: explosive, [Symbol.toPrimitive]: explosive },
  ];
  for (const [index, value] of hostile.entries()) {
    const error = await thrown(value);
    assert.equal(error.code, 'E_TOOL_FAILED', `value ${index}`);
    assert.match(error.message, /t (failed|threw)|^x$/, `value ${index}`);
  }
});

test('invalid fields of a failure are left out', async () => {
  for (const retryAfterMs of [Infinity, Number.NaN, -1, '5', {}]) {
    assert.equal((await thrown(Object.assign(new Error('x'), { retryAfterMs }))).retryAfterMs, undefined);
    const content = [{ type: 'error', message: 'x', retryAfterMs, code: 7, retryable: 'yes' }];
    assert.deepEqual((await returned({ content, isError: true })).error, {
      code: 'E_TOOL_FAILED',
      message: 'x',
      retryable: false,
    });
  }
  assert.equal((await thrown(Object.assign(new Error('x'), { code: 'C'.repeat(1_000) }))).code.length, 128);
});

test('stack frames, file addresses and folders of the host never reach the model', async () => {
  const message = [
    'Cannot read /srv/ravi/data/secret/users.csv',
    '    at readFile (/srv/ravi/node_modules/x/index.js:12:34)',
    '    at async file:///srv/ravi/src/tool.ts:1:2',
    'see file:///srv/ravi/src/tool.ts',
  ].join('\n');
  assert.equal(
    (await thrown(new Error(message), ['/srv/ravi', '/srv/ravi/data'])).message,
    'Cannot read <host>/secret/users.csv\nsee <file>',
  );
  const declared = createHarness(
    [recordingTool('t', { run: () => ({ content: [{ type: 'text', text: message }], isError: true }) })],
    { hostPaths: ['/srv/ravi'] },
  );
  const result = await declared.call('t');
  assert.doesNotMatch(JSON.stringify(result), /srv|index\.js/);
});

test('scrubbing a message of a million blanks and line ends is fast', async () => {
  const { message } = await thrown(new Error(`${'\n'.repeat(500_000)}${' '.repeat(500_000)}x`));
  assert.ok(message.length < 5_000);
});

test('a declared failure keeps the fields of its error block', async () => {
  const content = [
    { type: 'text', text: 'While saving:' },
    { type: 'error', message: 'disk full', code: 'E_DISK', retryable: true, retryAfterMs: 10 },
  ];
  const result = await returned({ content, isError: true });
  assert.equal(result.status, 'error');
  assert.deepEqual(result.error, {
    code: 'E_DISK',
    message: 'While saving:\ndisk full',
    retryable: true,
    retryAfterMs: 10,
  });
  assert.equal((await returned({ content: [], isError: true })).error?.message, 'The tool failed and gave no message');
});

test('an invalid result is a failure with the reason, and of a plain value with the way to return one', async () => {
  const hint =
    '. A tool that returns a plain value is created by defineTool of @ravi/kernel; others return { content: [blocks], isError }';
  for (const [result, problem] of [
    [undefined, `got undefined, not an object${hint}`],
    [null, `got null, not an object${hint}`],
    ['ok', `got string, not an object${hint}`],
    [{ cents: 5 }, `it has no list of blocks as its content${hint}`],
    [{ content: 'x', isError: false }, 'its content is not a list of blocks'],
    [{ content: [] }, 'its isError is not true or false'],
    [{ content: [null], isError: false }, 'its content block 0 has no type'],
    [{ content: [{ type: 'text', text: 'a' }, { text: 'b' }], isError: false }, 'its content block 1 has no type'],
    [{ content: [{ type: 'text' }], isError: false }, 'its content block 0 (text) is not complete'],
    [{ content: [{ type: 'text', text: 7 }], isError: false }, 'its content block 0 (text) is not complete'],
    [{ content: [{ type: 'error' }], isError: true }, 'its content block 0 (error) is not complete'],
    [
      { content: [{ type: 'image', mediaType: 'image/png' }], isError: false },
      'its content block 0 (image) is not complete',
    ],
    [
      { content: [{ type: 'audio', mediaType: 'audio/wav', source: { kind: 'bytes', bytes: 'x' } }], isError: false },
      'its content block 0 (audio) is not complete',
    ],
    [
      { content: [{ type: 'image', mediaType: 7, source: { kind: 'url', url: 'https://x' } }], isError: false },
      'its content block 0 (image) is not complete',
    ],
    [
      { content: [{ type: 'image', mediaType: 'image/png', source: { kind: 'file' } }], isError: false },
      'its content block 0 (image) is not complete',
    ],
    [{ content: [{ type: 'data', data: 1n }], isError: false }, 'its content block 0 (data) is not complete'],
    [{ get content() { throw new Error('no'); } }, 'it could not be read'], // prettier-ignore
  ] as const) {
    const { error, status } = await returned(result);
    assert.equal(status, 'error');
    assert.equal(error?.code, 'E_TOOL_FAILED');
    assert.equal(error?.message, `The tool t returned an invalid result: ${problem}`);
  }
});

test('a value that is not JSON is a failure with the reason, not a silent loss', async () => {
  const cyclic: Record<string, unknown> = {};
  cyclic['self'] = cyclic;
  for (const [value, why] of [
    [{ n: 1n }, /BigInt/],
    [cyclic, /circular/],
    [new Map([['a', 1]]), /structuredContent is a Map/],
    [{ rows: [{ seen: new Set([1]) }] }, /structuredContent\.rows\[0\]\.seen is a Set/],
    [() => 1, /structuredContent is a function/],
    [Symbol('x'), /structuredContent is a symbol/],
    [{ toJSON: () => { throw new Error('boom'); } }, /boom/], // prettier-ignore
  ] as const) {
    const { error } = await returned(valueResult(value));
    assert.equal(error?.code, 'E_TOOL_FAILED');
    assert.match(error?.message ?? '', /The tool t returned structuredContent that is not JSON/);
    assert.match(error?.message ?? '', why);
  }
});

test('a value with a JSON form, such as a Date, is encoded in that form', async () => {
  const value = { when: new Date(0), gone: undefined, none: {}, list: [undefined, Number.NaN], none2: [{}] };
  assert.deepEqual((await returned(valueResult(value))).structured, {
    when: '1970-01-01T00:00:00.000Z',
    none: {},
    list: [null, null],
    none2: [{}],
  });
});

test('blocks that are not text do not affect the text', async () => {
  const content = [
    { type: 'text', text: 'a' },
    { type: 'reasoning', text: 'hidden' },
    { type: 'data', data: { b: 1 } },
    { type: 'unknown', raw: { x: 1 } },
    { type: 'something-new', text: 'later' },
  ];
  assert.equal((await returned({ content, isError: false })).text, 'a\n{"b":1}');
});

test('metadata is for the host and does not reach the result', async () => {
  const result = await returned({ content: [], isError: false, structuredContent: 1, metadata: { token: 's3cret' } });
  assert.deepEqual(result, { status: 'ok', text: '1', structured: 1, files: [] });
});

test('a value that does not match the outputSchema is an error that keeps the content', async () => {
  const outputSchema = { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] } as const;
  const answer = async (value: unknown) => {
    const tool = { ...recordingTool('t', { run: () => valueResult(value) }), outputSchema };
    return createHarness([tool], { artifactStore: createTestBlobs() }).call('t');
  };
  assert.equal((await answer({ id: 7 })).status, 'ok');
  const result = await answer({ id: 'seven' });
  assert.deepEqual([result.status, result.error?.code], ['error', 'E_OUTPUT_INVALID']);
  assert.match(result.error?.message ?? '', /t has run, but its result does not match its outputSchema: .*id/);
  assert.deepEqual(result.structured, { id: 'seven' });
});

test('without structured content, the text is the value that the outputSchema describes', async () => {
  const answer = async (outputSchema: { readonly type: string }) => {
    const run = () => ({ content: [{ type: 'text', text: 'hello' }], isError: false });
    return createHarness([{ ...recordingTool('t', { run }), outputSchema }]).call('t');
  };
  assert.equal((await answer({ type: 'string' })).status, 'ok');
  const result = await answer({ type: 'object' });
  assert.equal(result.error?.code, 'E_OUTPUT_INVALID');
  assert.match(result.text, /\n\nhello$/);
});

test('a tool with an invalid outputSchema does not run', async () => {
  const tool = { ...recordingTool('t', { run: () => assert.fail('it ran') }), outputSchema: { type: 'objekt' } };
  const harness = createHarness([tool]);
  assert.equal((await harness.call('t')).error?.code, 'E_TOOL_INVALID');
});

test('a result that an interceptor puts in place of a valid one is checked too', async () => {
  const outputSchema = { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] } as const;
  const answer = async (structured: JsonValue) => {
    const tool = { ...recordingTool('t', { run: () => valueResult({ id: 7 }) }), outputSchema };
    const harness = createHarness([tool]);
    harness.hooks.interceptResult('after-tool', (_call, result) => ({ ...result, structured }));
    return harness.call('t');
  };
  assert.deepEqual((await answer({ id: 8 })).structured, { id: 8 });
  const { status, error, structured } = await answer({ id: 'eight' });
  assert.deepEqual([status, error?.code, structured], ['error', 'E_OUTPUT_INVALID', undefined]);
  assert.match(error?.message ?? '', /The tool t has run, but an interceptor replaced its result/);
});
