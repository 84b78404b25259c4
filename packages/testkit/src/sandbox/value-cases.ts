import assert from 'node:assert/strict';
import { guestErrorOf } from './sandbox-harness.ts';
import type { SandboxHarness } from './sandbox-harness.ts';

const values: readonly (readonly [code: string, expected: unknown])[] = [
  ['return 1 + 1', 2],
  ['return "grüße 🎉 \\n \\u0000"', 'grüße 🎉 \n \u0000'],
  ['return null', null],
  ['return [1, , undefined, NaN, Infinity]', [1, null, null, null, null]],
  ['return { a: undefined, b: [true], c: { d: "x" } }', { b: [true], c: { d: 'x' } }],
  ['return new Date(0)', '1970-01-01T00:00:00.000Z'],
  ['return { toJSON: () => ({ kept: 1 }) }', { kept: 1 }],
  ['return Object.assign(Object.create(null), { a: 1 })', { a: 1 }],
  ['class Point { x = 1; get y() { return 2 } } return new Point()', { x: 1 }],
  ['return await Promise.resolve([await 1])', [1]],
  ['return { then(resolve) { resolve(5) } }', 5],
  ['const shared = [1]; return [shared, shared]', [[1], [1]]],
  [
    'return JSON.parse(\'{"__proto__": {"a": 1}, "constructor": 2}\')',
    JSON.parse('{"__proto__": {"a": 1}, "constructor": 2}'),
  ],
  [
    'return [typeof Intl, typeof Math.sin, new Uint8Array(2).length, [3, 1].toSorted()[0]]',
    ['object', 'function', 2, 1],
  ],
];

/** Values that JSON cannot carry, with what the message must say. */
const refusals: readonly (readonly [code: string, message: RegExp])[] = [
  ['return { rows: [{ id: 1n }] }', /a BigInt at \$\.rows\[0\]\.id; convert it with Number\(\) or String\(\)/],
  ['const a = { b: {} }; a.b.c = a; return { a }', /a cycle at \$\.a\.b\.c; it refers back to \$\.a/],
  ['const list = []; list.push(list); return list', /a cycle at \$\[0\]; it refers back to \$/],
  ['return { "odd key": new Map([[1, 2]]) }', /a Map at \$\["odd key"\]; .*Object\.fromEntries/],
  ['return [new Set([1])]', /a Set at \$\[0\]; .*Array\.from/],
  ['return { run() {} }', /a function at \$\.run/],
  ['return { kind: Symbol("x") }', /a symbol at \$\.kind/],
  ['return { later: Promise.resolve(1) }', /a Promise at \$\.later; await it/],
  ['return new Uint8Array(3)', /a typed array at \$; .*Array\.from/],
  ['return { failed: new Error("no") }', /an Error at \$\.failed; return its message/],
  ['return { get broken() { throw new Error("boom") } }', /boom/],
  ['let deep = []; for (let i = 0; i < 5000; i++) deep = [deep]; return deep', /deeper than \d+ levels/],
];

/** Cases about returned values. */
export function valueCases({ scenario }: SandboxHarness): void {
  for (const [code, expected] of values) {
    scenario(`gives the value of: ${code}`, async ({ value }) => {
      assert.deepEqual(await value(code), expected);
    });
  }
  for (const [code, message] of refusals) {
    scenario(`refuses in plain words the value of: ${code}`, async ({ run }) => {
      const error = guestErrorOf(await run(code));
      assert.match(error.message, message);
    });
  }
  scenario('undefined is not a value', async ({ run }) => {
    for (const code of ['', 'return', 'return undefined', '/* nothing */ // at all']) {
      const { outcome } = await run(code);
      assert.equal(outcome.status, 'ok');
      assert.equal('value' in outcome && outcome.value !== undefined, false);
    }
  });
  scenario('code that ends in a comment, or leaves its function, breaks nothing', async ({ run, value }) => {
    assert.equal(await value('return 1 // the end'), 1);
    const { outcome } = await run('}}); globalThis.left = true; (function () {return async function () { return 2');
    assert.ok(['ok', 'error'].includes(outcome.status), JSON.stringify(outcome));
    assert.equal(await value('return typeof globalThis.left'), 'undefined');
  });
  scenario('a global that one run leaves is not there in the next one', async ({ value }) => {
    await value('globalThis.left = 1; Array.prototype.left = 2; Object.prototype.left = 3');
    assert.deepEqual(await value('return [typeof left, [].left ?? null, ({}).left ?? null]'), [
      'undefined',
      null,
      null,
    ]);
  });
  scenario('the prelude defines names, and the script may reuse them', async ({ value }) => {
    const prelude = 'const twice = (x) => 2 * x; return { twice, answer: 42 };';
    assert.equal(await value('return twice(answer)', { prelude }), 84);
    assert.equal(await value('const twice = 1; let answer = 2; return twice + answer', { prelude }), 3);
  });
}
