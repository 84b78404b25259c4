import { createIsolatedVmSandbox } from '@ravi/sandbox-isolated-vm';
import { textBlock } from '@ravi/kernel';
import { afterAll, expect, test } from 'vitest';
import { createHarness, freeTool } from './harness.ts';

const sandbox = createIsolatedVmSandbox();
afterAll(() => sandbox[Symbol.asyncDispose]());

class Meter {
  now = 0;
  most = 0;
  readonly #waiting: (() => void)[] = [];

  /** Resolves when `count` calls are waiting at once. */
  async meet(count: number): Promise<void> {
    this.most = Math.max(this.most, ++this.now);
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length >= count) for (const go of this.#waiting.splice(0)) go();
    });
    this.now--;
  }
}

const meter = new Meter();
const failing = {
  coded: () => ({
    isError: true,
    content: [{ type: 'error' as const, message: 'Rate limited', code: 'E_RATE', retryable: true, retryAfterMs: 1500 }],
  }),
  host: () => {
    throw new Error('cannot read\n    at open (/srv/app/secret/store.ts:3:4)\n    at file:///srv/app/secret/x.ts:1:1');
  },
  text: () => {
    throw 'just text';
  },
  nothing: () => {
    throw undefined;
  },
};
const { run, pins } = createHarness(
  sandbox,
  [
    freeTool('add', ({ a, b }) => ({ sum: Number(a) + Number(b) }), {
      inputSchema: {
        type: 'object',
        properties: { a: { type: 'number' }, b: { type: 'number' } },
        required: ['a', 'b'],
      },
    }),
    freeTool('echo', (args) => ({ ...args })),
    freeTool('say.it-loud', ({ text }) => (text as string).toUpperCase()),
    freeTool('quiet', () => undefined),
    freeTool('meet', async ({ count }) => {
      await meter.meet(Number(count));
      return 'met';
    }),
    freeTool('never', () => new Promise(() => {})),
    freeTool('mail', () => 'sent', { risk: 'high' }),
    freeTool('wipe', () => 'wiped', { risk: 'critical' }),
    freeTool('direct_only', () => 'no', { allowedCallers: ['direct'] }),
    freeTool('picture', () => ({
      isError: false,
      content: [
        textBlock('a dot'),
        {
          type: 'image',
          mediaType: 'image/png',
          source: { kind: 'bytes', bytes: Uint8Array.of(137, 80, 78, 71, 0, 255) },
        },
      ],
    })),
    freeTool('garbage', () => JSON.parse('{ "content": "no list", "isError": "maybe" }')),
    ...Object.entries(failing).map(([name, execute]) => freeTool(`fail_${name}`, execute)),
    { name: 'hosted', description: 'run elsewhere', providerSpecs: {} },
  ],
  {
    rules: [
      { tool: 'mail', decision: 'approved' },
      { tool: 'wipe', decision: 'denied', reason: 'Not on a Friday' },
    ],
    hostPaths: ['/srv/app'],
  },
);

async function valueOf(code: string, policy = {}): Promise<unknown> {
  const result = await run(code, policy);
  if (result.status !== 'ok') throw new Error(result.outputText);
  return result.value;
}

test('.safe does not throw for arguments that cannot be encoded', async () => {
  const code = `
    const cycle = {}; cycle.self = cycle;
    const hostile = { get a() { throw null } };
    const results = [];
    for (const args of [{ a: NaN }, cycle, hostile, null, { a: () => 1 }, { a: 'x'.repeat(30e6) }]) {
      results.push(await tools.add.safe(args));
    }
    results.push(await tools.add.safe(1, 2));
    return results.map(({ status, error, value, files, text }) => [status, error.code, value === undefined, files.length, text === error.message]);
  `;
  const codes = await valueOf(code, { totalTimeoutMs: 60_000 });
  const unreadable = ['error', 'E_ARGUMENTS_INVALID', true, 0, true];
  const tooLarge = ['error', 'E_LIMIT_CALL_INPUT', true, 0, true];
  expect(codes).toEqual([unreadable, unreadable, unreadable, unreadable, unreadable, tooLarge, unreadable]);
});

test('calls give plain values and .safe gives the whole result', async () => {
  const result = await run(`
    const { sum } = await tools.add({ a: 1, b: 2 });
    const loud = await tools['say.it-loud']({ text: 'hey' });
    const safe = await tools.add.safe({ a: sum, b: 4 });
    const quiet = await tools.quiet();
    return { sum, loud, safe, value: safe.value, quiet };
  `);
  expect(result).toMatchObject({
    status: 'ok',
    value: {
      sum: 3,
      loud: 'HEY',
      safe: { status: 'ok', structured: { sum: 7 }, text: '{"sum":7}', files: [] },
      value: { sum: 7 },
      quiet: '',
    },
    toolCalls: 4,
  });
  expect(result.callTrace.map(({ tool, caller, status }) => `${caller} ${tool} ${status}`)).toEqual([
    'chain add ok',
    'chain say.it-loud ok',
    'chain add ok',
    'chain quiet ok',
  ]);
});

test('a failed call throws a typed error that a script can catch', async () => {
  const value = await valueOf(
    `
    const seen = {};
    const look = async (name, call) => {
      try { await call(); seen[name] = 'no error'; } catch (error) {
        seen[name] = [error.name, error instanceof ToolError, error.tool, error.status, error.code, error.retryable, error.retryAfterMs ?? null, error.message];
      }
    };
    await look('coded', () => tools.fail_coded());
    await look('denied', () => tools.wipe());
    await look('unknown', () => tools.ad({}));
    await look('invalid', () => tools.add({ a: 'x', b: 1 }));
    await look('hosted', () => tools.hosted());
    await look('late', () => tools.never());
    await look('budget', () => tools.quiet());
    return seen;
  `,
    { maxScriptCalls: 6, callTimeoutMs: 200, approvalTimeoutMs: 100 },
  );
  expect(value).toEqual({
    coded: ['ToolError', true, 'fail_coded', 'error', 'E_RATE', true, 1500, 'Rate limited'],
    denied: [
      'ToolDeniedError',
      true,
      'wipe',
      'denied',
      'E_APPROVAL_DENIED',
      false,
      null,
      expect.stringContaining('Not on a Friday'),
    ],
    unknown: [
      'ToolError',
      true,
      'ad',
      'error',
      'E_TOOL_UNKNOWN',
      false,
      null,
      expect.stringContaining('Did you mean add'),
    ],
    invalid: [
      'ToolError',
      true,
      'add',
      'error',
      'E_ARGUMENTS_INVALID',
      false,
      null,
      expect.stringContaining('Invalid arguments for add'),
    ],
    hosted: ['ToolError', true, 'hosted', 'error', 'E_TOOL_NOT_CALLABLE', false, null, expect.any(String)],
    late: ['ToolTimeoutError', true, 'never', 'error', 'E_CALL_TIMEOUT', true, null, expect.stringContaining('200 ms')],
    budget: ['BudgetError', true, 'quiet', 'error', 'E_BUDGET_EXHAUSTED', false, null, expect.stringContaining('6')],
  });
});

test('a tool that throws anything or returns garbage is an error like any other', async () => {
  const value = await valueOf(`
    const results = [];
    for (const name of ['fail_text', 'fail_nothing', 'garbage', 'fail_host']) results.push(await tools[name].safe());
    return results.map(({ status, error }) => [status, error.code, error.message]);
  `);
  expect(value).toEqual([
    ['error', 'E_TOOL_FAILED', 'The tool fail_text threw "just text"'],
    ['error', 'E_TOOL_FAILED', expect.any(String)],
    ['error', 'E_TOOL_FAILED', expect.stringContaining('garbage')],
    ['error', 'E_TOOL_FAILED', 'cannot read'],
  ]);
});

test('a script cannot call tools that allow only direct calls', async () => {
  expect(await valueOf('return (await tools.direct_only.safe()).error.code')).toBe('E_TOOL_NOT_ALLOWED');
});

test('calls run in parallel with Promise.all, and allSettled and race behave as in plain JavaScript', async () => {
  meter.most = 0;
  const value = await valueOf(`
    const all = await Promise.all(Array.from({ length: 20 }, () => tools.meet({ count: 20 })));
    const settled = await Promise.allSettled([tools.add({ a: 1, b: 1 }), tools.fail_text()]);
    const raced = await Promise.race([tools.never().catch(() => 'never'), tools.add({ a: 2, b: 2 })]);
    return [all.length, settled.map((s) => s.status), settled[1].reason.message, raced.sum];
  `);
  expect(value).toEqual([20, ['fulfilled', 'rejected'], expect.stringContaining('just text'), 4]);
  expect(meter.most).toBe(20);
});

test('no more than maxInFlight calls run at once, and the others follow', async () => {
  meter.most = 0;
  const code = 'return (await Promise.all(Array.from({ length: 12 }, () => tools.meet({ count: 4 })))).length';
  expect(await valueOf(code, { maxInFlight: 4 })).toBe(12);
  expect(meter.most).toBe(4);
});

test('of a thousand calls at once exactly as many as the budget allows are made', async () => {
  const code =
    'const all = await Promise.all(Array.from({ length: 1000 }, () => tools.quiet.safe())); return all.filter((r) => r.status === "ok").length';
  const result = await run(code);
  expect(result.value).toBe(50);
  expect(result.callTrace.filter((record) => record.status === 'ok')).toHaveLength(50);
});

const badArguments: readonly (readonly [args: string, message: string])[] = [
  ['1', 'tools.echo takes one object of named arguments, not a number'],
  ['null', 'tools.echo takes one object of named arguments, not null'],
  ['[1]', 'tools.echo takes one object of named arguments, not an array'],
  ['{ a: 1 }, { b: 2 }', 'tools.echo takes one object of named arguments, not 2 arguments'],
  ['{ rows: [{ id: 5n }] }', 'tools.echo: args.rows[0].id is a BigInt; pass Number(value) or String(value)'],
  ['{ f: () => 1 }', 'tools.echo: args.f is a function; pass plain data'],
  ['{ f: Symbol("x") }', 'tools.echo: args.f is a symbol; pass plain data'],
  ['{ m: new Map() }', 'tools.echo: args.m is a Map; pass Object.fromEntries(map)'],
  ['{ p: tools.quiet() }', 'tools.echo: args.p is a Promise; await it first'],
  ['{ n: 0 / 0 }', 'tools.echo: args.n is NaN; pass a finite number'],
  ['{ b: new Uint8Array(2) }', 'tools.echo: args.b holds raw bytes; pass text, an array of numbers or an artifact'],
  [
    '(() => { const a = { b: {} }; a.b.c = a; return a; })()',
    'tools.echo: args.b.c refers back to args; pass it without the cycle',
  ],
  [
    'JSON.parse("[".repeat(200) + "]".repeat(200)).concat().reduce((_, x) => ({ deep: x }), {})',
    'levels; pass a flatter value',
  ],
];

for (const [args, message] of badArguments) {
  test(`bad arguments are a TypeError that a script can catch: ${args.slice(0, 40)}`, async () => {
    const code = `try { await tools.echo(${args}); return 'called' } catch (error) { return [error.name, error.message] }`;
    expect(await valueOf(code)).toEqual(['TypeError', expect.stringContaining(message)]);
  });
}

test('dates, absent values and foreign handles are plain JSON for a tool', async () => {
  const code = 'return tools.echo({ at: new Date(0), none: undefined, list: [undefined, null], twice: [1, 1] })';
  expect(await valueOf(code)).toEqual({ at: '1970-01-01T00:00:00.000Z', list: [null, null], twice: [1, 1] });
});

test('the same object twice is not a cycle', async () => {
  expect(await valueOf('const x = { a: 1 }; return tools.echo({ x, y: [x, x] })')).toEqual({
    x: { a: 1 },
    y: [{ a: 1 }, { a: 1 }],
  });
});

for (const key of ['{ ["__proto__"]: { admin: true } }', '{ constructor: { prototype: { admin: true } } }']) {
  test(`hostile keys are refused by the invoker: ${key}`, async () => {
    const result = await run(`return tools.echo.safe(${key})`);
    expect(result.value).toMatchObject({ status: 'error', error: { code: 'E_ARGUMENTS_INVALID' } });
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });
}

test('names that are not tools are undefined', async () => {
  const code =
    'return [tools.then, tools.constructor, tools.toString, tools.toJSON, tools[Symbol.iterator], JSON.stringify(tools), (await tools) === tools].map(String)';
  expect(await valueOf(code)).toEqual(['undefined', 'undefined', 'undefined', 'undefined', 'undefined', '{}', 'true']);
});

test('media become files that a script reads and passes on', async () => {
  const result = await run(`
    const { text, files: [file] } = await tools.picture();
    const bytes = await file.bytes();
    return { text, path: file.path, size: file.size, type: file.mediaType, bytes: [...bytes], file, passed: await tools.echo({ file }) };
  `);
  expect(result.value).toMatchObject({
    text: 'a dot',
    path: '/workspace/media/call_1-picture-0.png',
    size: 6,
    type: 'image/png',
    bytes: [137, 80, 78, 71, 0, 255],
    file: { path: '/workspace/media/call_1-picture-0.png', mediaType: 'image/png', bytes: 6 },
  });
  expect(await pins()).toBe(0);
});

test('calls that are not awaited are cancelled at the end and reported', async () => {
  const result = await run('tools.never(); tools.never(); await tools.quiet(); return 5');
  expect(result).toMatchObject({ status: 'ok', value: 5, toolCalls: 3 });
  expect(result.outputText).toBe(
    '5\n\nNote: 2 calls were not awaited and were cancelled when the script ended: never. Await every call.',
  );
  expect(result.callTrace.map(({ status }) => status)).toEqual(['ok', 'cancelled', 'cancelled']);
});

test('an approved call runs, and a critical one always needs approval', async () => {
  const result = await run('await tools.mail(); await tools.wipe()', { maxRiskUnapproved: 'high' });
  expect(result).toMatchObject({ status: 'error', error: { code: 'E_APPROVAL_DENIED' } });
  expect(result.outputText).toContain('1. mail({}) → ok');
  expect(result.outputText).toContain('2. wipe({}) → denied (E_APPROVAL_DENIED): Not on a Friday');
});

test('user code that changes built-ins affects neither gates nor later runs', async () => {
  const result = await run(`
    const forged = () => { throw new Error('forged'); };
    JSON.stringify = () => '{"a":1}'; JSON.parse = forged; Reflect.ownKeys = forged; Object.freeze = forged;
    Array.prototype.push = forged; Array.isArray = () => false; Promise.all = forged; String.prototype.slice = forged;
    globalThis.ToolError = class {}; Function.prototype.call = forged; Proxy = forged; TypeError = forged;
    const denied = await tools.wipe.safe({});
    const value = await tools.add({ a: 1, b: 2 });
    return denied.status + ' ' + denied.error.code + ' ' + value.sum;
  `);
  expect(result).toMatchObject({ status: 'ok', value: 'denied E_APPROVAL_DENIED 3' });
  expect(result.callTrace.map(({ status }) => status)).toEqual(['denied', 'ok']);
  expect(await valueOf('return tools.add({ a: 1, b: 1 })')).toEqual({ sum: 2 });
});

test('a then on Object.prototype affects only its own script', async () => {
  const code = 'Object.prototype.then = function () { throw new Error("hijacked") }; return await tools.wipe.safe({})';
  const result = await run(code, { totalTimeoutMs: 2_000, callTimeoutMs: 1_000, approvalTimeoutMs: 500 });
  expect(result.status).toBe('error');
  expect(result.callTrace.every(({ status }) => status === 'denied')).toBe(true);
  expect(await valueOf('return tools.add({ a: 1, b: 1 })')).toEqual({ sum: 2 });
});

test('a script sees which tools there are, and only those', async () => {
  const code = `const names = Object.keys(tools);
    const own = names.filter((name) => name in tools && typeof tools[name] === 'function');
    return ['echo' in tools, 'ecko' in tools, own.length === names.length, names.includes('say.it-loud'), 'toString' in tools];`;
  expect(await run(code)).toMatchObject({ value: [true, false, true, true, false] });
});

test('a script cannot change the list of tools', async () => {
  const code = `const attempts = (() => { 'use strict'; return [
      () => { tools.mine = 1; }, () => { delete tools.echo; }, () => { tools.echo = 1; }, () => Object.defineProperty(tools, 'echo', { value: 1 }),
      () => Object.setPrototypeOf(tools, {}),
    ]; })();
    const refused = attempts.filter((attempt) => { try { attempt(); return false; } catch { return true; } });
    return [refused.length, Object.keys(tools).length > 3, await tools.echo({ a: 1 })];`;
  expect(await run(code)).toMatchObject({ value: [5, true, { a: 1 }] });
});
