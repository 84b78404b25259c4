import assert from 'node:assert/strict';
import { KernelError } from '@ravi/kernel';
import { guestErrorOf } from './sandbox-harness.ts';
import type { SandboxHarness } from './sandbox-harness.ts';

interface Failure {
  readonly name: string;
  readonly message: RegExp;
  readonly line?: number;
  readonly column?: number;
}

const failures: readonly (readonly [code: string, expected: Failure])[] = [
  ['throw new RangeError("bad")', { name: 'RangeError', message: /^bad$/, line: 1, column: 7 }],
  ['const a = 1;\n\n  missing();', { name: 'ReferenceError', message: /missing is not defined/, line: 3, column: 3 }],
  ['await 1;\r\nawait 2;\r\n null.x', { name: 'TypeError', message: /null/, line: 3, column: 7 }],
  [
    'function f() {\n  throw new Error("inner")\n}\n[1].map(() => f())',
    { name: 'Error', message: /inner/, line: 2, column: 9 },
  ],
  ['/* ä 🎉 */ x.y', { name: 'ReferenceError', message: /x/, line: 1, column: 12 }],
  ['const a = ;', { name: 'SyntaxError', message: /Unexpected token/, line: 1, column: 11 }],
  ['let a = 1;\nlet a = 2;', { name: 'SyntaxError', message: /already been declared/, line: 2, column: 5 }],
  ['const s = `never closed', { name: 'SyntaxError', message: /./, line: 1 }],
  ['if (true) {\n  1;\n', { name: 'SyntaxError', message: /./, line: 3 }],
  ['(function f() { f() })()', { name: 'RangeError', message: /call stack/ }],
];

/** Thrown values that are not errors, or that throw when they are read. */
const oddities: readonly (readonly [code: string, message: RegExp])[] = [
  ['throw "just text"', /^just text$/],
  ['throw null', /null/],
  ['throw undefined', /undefined/],
  ['throw 7n', /7/],
  ['throw Symbol("s")', /s/],
  ['throw { reason: "none" }', /reason/],
  ['throw () => 1', /./],
  ['throw new Proxy({}, { get() { throw new Error("trap") } })', /./],
  ['const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); throw proxy', /./],
  ['throw { get name() { throw 1 }, get message() { throw 2 }, get stack() { throw 3 }, get code() { throw 4 } }', /./],
  ['const e = new Error("kept"); e.stack = { evil: true }; e.name = 42; throw e', /^kept$/],
  ['Error.stackTraceLimit = 0; throw new Error("no frames")', /^no frames$/],
  ['Error.prepareStackTrace = () => { throw 1 }; throw new Error("still told")', /^still told$/],
  ['Object.defineProperty(Error.prototype, "message", { get() { throw 1 } }); throw new Error()', /./],
  [
    'class Odd extends Error { get stack() { return "x\\n    at script.js:999999999999:1" } } throw new Odd("odd")',
    /^odd$/,
  ],
];

/** Cases about failures of a script. */
export function errorCases({ scenario }: SandboxHarness): void {
  for (const [code, expected] of failures) {
    scenario(`reports name, message and place of: ${JSON.stringify(code)}`, async ({ run }) => {
      const error = guestErrorOf(await run(code));
      assert.equal(error.name, expected.name);
      assert.match(error.message, expected.message);
      if (expected.line !== undefined) assert.equal(error.line, expected.line, 'line');
      if (expected.column !== undefined) assert.equal(error.column, expected.column, 'column');
    });
  }
  for (const [code, message] of oddities) {
    scenario(`survives: ${code}`, async ({ run, value }) => {
      const { outcome } = await run(code);
      assert.equal(outcome.status, 'error', JSON.stringify(outcome));
      if (outcome.status === 'error') assert.match(outcome.error.message, message);
      assert.equal(await value('return 1'), 1);
    });
  }
  scenario('a code on an error arrives, when it is text', async ({ run }) => {
    const failed = async (code: string): Promise<unknown> =>
      guestErrorOf(await run(`throw Object.assign(new Error("x"), { code: ${code} })`)).code;
    assert.equal(await failed('"E_MINE"'), 'E_MINE');
    assert.equal(await failed('42'), undefined);
  });
  scenario('name and message of an error are cut to a length that the host can carry', async ({ run }) => {
    const error = guestErrorOf(await run('const e = new Error("m".repeat(5e6)); e.name = "n".repeat(5e6); throw e'));
    assert.ok(error.message.length < 100_000 && error.message.startsWith('mmm'));
    assert.ok(error.name.length < 10_000 && error.name.startsWith('nnn'));
  });
  scenario('a rejection of the bridge arrives as name, message and code, and nothing more', async ({ value }) => {
    const cause = Object.assign(new KernelError('E_TOOL_FAILED', 'no luck'), { secret: '/home/host', cause: 'hidden' });
    const code = `try { await call('x', '') } catch (e) {
      return [e.name, e.message, e.code, e instanceof Error, e.secret ?? null, e.cause ?? null, Object.keys(e)];
    }`;
    const bridge = async (): Promise<string> => {
      throw cause;
    };
    assert.deepEqual(await value(code, { bridge }), [
      'KernelError',
      'no luck',
      'E_TOOL_FAILED',
      true,
      null,
      null,
      ['code'],
    ]);
  });
  scenario('a bridge that throws at once, or answers with no text, rejects the call', async ({ value }) => {
    const code = 'try { await call("x", ""); return "answered" } catch (e) { return e.message }';
    const throwing = (): Promise<string> => {
      throw new Error('at once');
    };
    const garbage = async (): Promise<string> => ({ not: 'text' }) as never;
    assert.equal(await value(code, { bridge: throwing }), 'at once');
    assert.match(String(await value(code, { bridge: garbage })), /not text/);
  });
  scenario('stack traces show the script and nothing of the host', async ({ value }) => {
    const stacks = String(
      await value('const a = new Error("a").stack; try { await call(1) } catch (e) { return a + e.stack }'),
    );
    assert.match(stacks, /script\.js:1:/);
    for (const trace of [process.cwd(), 'node_modules', 'packages', 'file:'])
      assert.ok(!stacks.includes(trace), stacks);
  });
}
