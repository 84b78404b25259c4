import assert from 'node:assert/strict';
import { assertLimit, assertSupports, guestErrorOf, limitScenario } from './sandbox-harness.ts';
import type { SandboxHarness } from './sandbox-harness.ts';

/** Scripts that never give the processor back. */
const endless: readonly string[] = [
  'for (;;);',
  'while (true) await null;',
  '(function again() { Promise.resolve().then(again) })(); await sleep(1)',
  'await call("x", ""); for (;;);',
  'setTimeout(() => { for (;;); }, 1); await sleep(1e6)',
  'const forever = async function* () { for (;;) yield 1 }; for await (const x of forever());',
  '/^(a+)+$/.test("a".repeat(40) + "b")',
  'return { toJSON() { for (;;); } }',
  'return { get slow() { for (;;); } }',
  'throw { get message() { for (;;); } }',
  'console.log(new Proxy({}, { ownKeys() { for (;;); } }))',
  'try { for (;;); } finally { for (;;); }',
  'Array.from({ get length() { for (;;); } })',
  'let n = 3n; for (;;) n = n * n',
];

/** Scripts that take memory without end. */
const bombs: readonly string[] = [
  'const all = []; for (;;) all.push(new Array(1e5).fill({}))',
  'const all = []; for (;;) all.push({ some: { object: [1, 2, 3] } })',
  'const all = []; for (;;) all.push("x".repeat(1e6) + Math.random())',
  'const all = new Map(); for (let i = 0; ; i++) all.set(i, { i })',
  'const all = []; for (;;) { try { all.push(new Uint8Array(1e6).fill(1)) } catch { all.push(new Array(1e5).fill({})) } }',
  'const all = []; for (;;) { all.push(new Array(1e4).fill(all.length)); await null }',
];

/** Requests for more than there is, which the language refuses or the limit meets. */
const refused: readonly string[] = [
  'return new ArrayBuffer(2 ** 40).byteLength',
  'let s = "x"; for (;;) s += s',
  'return new Array(2 ** 32 - 1).fill(0).length',
  'return "x".repeat(2 ** 29).length + "y".repeat(2 ** 29).length',
  'return [].concat(...new Array(1e3).fill(new Array(1e6).fill(1))).length',
  'return JSON.parse("[".repeat(1e7)).length',
];

/** Scripts that call themselves without end. */
const tooDeep: readonly string[] = [
  'const again = () => again() + 1; return again()',
  'const object = { get self() { return this.self } }; return object.self',
  'await call("x", ""); const again = async () => { await again() }; await again()',
];

/** Limits: each declared one ends a run that exceeds it, with its name and value; the next run is well. */
export function limitCases(harness: SandboxHarness): void {
  const { scenario } = harness;
  const declared = limitScenario(harness);

  scenario('declares what it supports in the terms of the port', async ({ sandbox }) => {
    assertSupports(sandbox, 'javascript');
  });
  for (const code of endless) {
    declared('cpu', `processor time ends: ${code}`, async ({ run, value }) => {
      assertLimit(await run(code, { limits: { cpuTimeMs: 150 } }), 'cpu', 150);
      assert.equal(await value('return "well"'), 'well');
    });
  }
  declared('cpu', 'what was written before an endless loop is kept', async ({ run }) => {
    const { lines } = await run('console.log("before"); for (;;);', { limits: { cpuTimeMs: 150 } });
    assert.deepEqual(lines, [{ level: 'log', text: 'before' }]);
  });
  declared('wall', 'wall time ends a script that waits', async ({ run, value }) => {
    assertLimit(await run('await sleep(1e7)', { limits: { wallTimeMs: 80 } }), 'wall', 80);
    const { promise: never } = Promise.withResolvers<string>();
    let aborted = false;
    const bridge = (_call: unknown, { signal }: { signal: AbortSignal }): Promise<string> => {
      signal.addEventListener('abort', () => (aborted = true));
      return never;
    };
    // Long enough for the call to reach the host of a busy machine.
    assertLimit(await run('await call("x", "")', { bridge, limits: { wallTimeMs: 2_000 } }), 'wall', 2_000);
    assert.ok(aborted, 'the call was not aborted');
    assert.equal(await value('return "well"'), 'well');
  });
  declared('wall', 'wall time ends a script that computes', async ({ run }) => {
    assertLimit(await run('for (;;);', { limits: { wallTimeMs: 80 } }), 'wall', 80);
  });
  declared('wall', 'time that humans take is not charged', async ({ run }) => {
    const { promise: asked, resolve } = Promise.withResolvers<string>();
    const humanWaitMs = (): number => {
      resolve('approved');
      return 600_000;
    };
    const bridge = (): Promise<string> => asked;
    const { outcome } = await run('return call("x", "")', { bridge, humanWaitMs, limits: { wallTimeMs: 20 } });
    assert.equal(outcome.status, 'ok', JSON.stringify(outcome));
  });
  for (const code of bombs) {
    declared('memory', `memory ends: ${code}`, async ({ run, value }) => {
      assertLimit(await run(code, { limits: { memoryBytes: 33_554_432 } }), 'memory', 33_554_432);
      assert.equal(await value('return "well"'), 'well');
    });
  }
  for (const code of refused) {
    declared('memory', `does not hand out what it has not: ${code}`, async ({ run, value }) => {
      const { outcome } = await run(code, { limits: { memoryBytes: 33_554_432, cpuTimeMs: 5_000 } });
      assert.ok(outcome.status === 'error' || outcome.status === 'limit', JSON.stringify(outcome));
      assert.equal(await value('return "well"'), 'well');
    });
  }
  for (const code of tooDeep) {
    declared('stack', `recursion ends in an error that a script can catch: ${code}`, async ({ run, value }) => {
      const caught = `try { ${code} } catch (error) { return [error.name, error instanceof RangeError] }`;
      assert.deepEqual(await value(caught), ['RangeError', true]);
      const { name, code: errorCode } = guestErrorOf(await run(code));
      assert.deepEqual([name, errorCode], ['RangeError', 'E_LIMIT_STACK']);
      assert.equal(await value('return "well"'), 'well');
    });
  }
  declared('source', 'a script over its bytes never starts, one just within runs', async ({ run, value }) => {
    const source = 'await call("x", "ä"); return 1';
    const limits = { maxSourceBytes: Buffer.byteLength(source) };
    assert.equal(await value(source, { limits }), 1);
    const refusedRun = await run(`${source} `, { limits });
    assertLimit(refusedRun, 'source', limits.maxSourceBytes);
    assert.deepEqual(refusedRun.calls, []);
  });
  declared('result', 'a value over its bytes is refused, one just within is not', async ({ run, value }) => {
    const limits = { maxResultBytes: 1_000 };
    assert.equal(await value('return "x".repeat(998)', { limits }), 'x'.repeat(998));
    assertLimit(await run('return "x".repeat(999)', { limits }), 'result', 1_000);
    assertLimit(await run('return "ä".repeat(500)', { limits }), 'result', 1_000);
    assertLimit(await run('return Array.from({ length: 400 }, () => "abc")', { limits }), 'result', 1_000);
    const absent = 'return Object.fromEntries(Array.from({ length: 900 }, (_, i) => [i, undefined]))';
    assert.deepEqual(await value(absent, { limits }), {});
  });
  declared('result', 'fifty megabytes never reach the host', async ({ run, value }) => {
    assertLimit(await run('return "x".repeat(5e7)'), 'result', 1_048_576);
    assertLimit(await run('return Array.from({ length: 2e6 }, (_, i) => i)'), 'result', 1_048_576);
    assert.equal(await value('return "well"'), 'well');
  });
}
