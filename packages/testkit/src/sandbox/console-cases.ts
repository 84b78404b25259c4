import assert from 'node:assert/strict';
import type { SandboxHarness } from './sandbox-harness.ts';

const renderings: readonly (readonly [expression: string, text: string])[] = [
  ['"text", 1, true, null, undefined', 'text 1 true null undefined'],
  ['-0, 10n, Symbol("s"), NaN', '-0 10n Symbol(s) NaN'],
  ['{ a: 1, "b c": "x", [Symbol("k")]: [] }', '{ a: 1, "b c": "x", [Symbol(k)]: [] }'],
  ['[1, "two", [3, [4]]]', '[1, "two", [3, [4]]]'],
  ['[, 1]', '[<empty>, 1]'],
  ['new Map([["a", { b: 1 }]]), new Set([1, "x"])', 'Map { "a" => { b: 1 } } Set { 1, "x" }'],
  ['new Date(0), new Date(NaN)', '1970-01-01T00:00:00.000Z Invalid Date'],
  ['new TypeError("bad")', 'TypeError: bad'],
  ['Object.assign(new Error("x"), { code: "E_X" })', 'Error: x [code: "E_X"]'],
  [
    '/a+/g, function named() {}, () => {}, class Point {}',
    '/a+/g [Function: named] [Function (anonymous)] [class: Point]',
  ],
  ['new (class Point { x = 1 })()', 'Point { x: 1 }'],
  ['Object.create(null)', '[Object: null prototype] {}'],
  ['new Uint8Array([1, 2]), Promise.resolve(1)', 'Uint8Array(2) [1, 2] Promise {}'],
  ['{ a: { b: { c: { d: { e: 1 } } } } }', '{ a: { b: { c: { d: [Object] } } } }'],
  ['(() => { const o = {}; o.self = o; return o })()', '{ self: [Circular] }'],
  ['{ get a() { return 1 }, set b(x) {} }', '{ a: [Getter], b: [Setter] }'],
  ['{ a: "line\\nbreak" }', '{ a: "line\\nbreak" }'],
  ['Array.from({ length: 101 }, () => 0).length, Array.from({ length: 3 }, (_, i) => i)', '101 [0, 1, 2]'],
];

/** Cases about console output. */
export function consoleCases({ scenario }: SandboxHarness): void {
  for (const [expression, text] of renderings) {
    scenario(`console shows ${expression}`, async ({ run }) => {
      const { lines } = await run(`console.log(${expression})`);
      assert.deepEqual(lines, [{ level: 'log', text }]);
    });
  }
  scenario('console keeps levels and order, also between calls', async ({ run }) => {
    const { lines } = await run(
      'console.log(1); console.info(2); await call("x", ""); console.warn(3); const { error, debug } = console; error(4); debug(5)',
    );
    const expected = ['log', 'info', 'warn', 'error', 'debug'].map((level, index) => ({ level, text: `${index + 1}` }));
    assert.deepEqual(lines, expected);
  });
  scenario('console groups, counts and times', async ({ run }) => {
    const { lines } = await run(
      'console.group("one"); console.log("a\\nb"); console.groupCollapsed(); console.warn("deep"); console.groupEnd(); console.groupEnd(); console.groupEnd(); console.log("out"); console.count(); console.count("__proto__"); console.count(); console.countReset(); console.count(); console.time("t"); console.timeLog("t", 1); console.timeEnd("t"); console.timeEnd("t")',
    );
    assert.deepEqual(
      lines.map(({ text }) => text.replace(/\d+(?:\.\d+)?ms/, '<time>')),
      [
        'one',
        '  a\n  b',
        '    deep',
        'out',
        'default: 1',
        '__proto__: 1',
        'default: 2',
        'default: 1',
        't: <time> 1',
        't: <time>',
      ],
    );
  });
  scenario('console lines arrive while the script waits', async ({ run }) => {
    const order: string[] = [];
    await run('console.log("before"); await call("x", "")', {
      onConsole: ({ text }) => order.push(text),
      bridge: async () => String(order.push('call')),
    });
    assert.deepEqual(order.sort(), ['before', 'call']);
  });
  scenario('what was written before a failure is kept', async ({ run }) => {
    const { lines, outcome } = await run('console.log("first"); throw new Error("x")');
    assert.equal(outcome.status, 'error');
    assert.deepEqual(lines, [{ level: 'log', text: 'first' }]);
  });
  scenario('long values break into indented lines, large ones say what they leave out', async ({ run }) => {
    const { lines } = await run(
      'console.log({ first: "x".repeat(60), second: [1] }); console.log(Array.from({ length: 105 }, (_, i) => i))',
    );
    assert.equal(lines[0]?.text, `{\n  first: "${'x'.repeat(60)}",\n  second: [1]\n}`);
    assert.match(lines[1]?.text ?? '', /99,\n {2}\.\.\. 5 more\n\]$/);
  });
  scenario('console runs no getter and survives proxies that throw', async ({ run }) => {
    const { lines, outcome } = await run(`
      globalThis.ran = 0;
      console.log({ get a() { ran++; return 1 } });
      console.log(new Proxy({}, { ownKeys() { throw new Error("trap") }, getPrototypeOf() { throw new Error("trap") } }));
      const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); console.log(proxy);
      console.log(Object.defineProperty([], "0", { get() { ran++ }, enumerable: true }));
      return ran;`);
    assert.equal(outcome.status === 'ok' && outcome.value, '0');
    assert.equal(lines.length, 4);
  });
  scenario('console holds back what exceeds its bytes, and counts it', async ({ run }) => {
    const { lines, outcome } = await run('console.log("12345678"); console.log("ä🎉🎉"); console.log("gone")', {
      limits: { maxConsoleBytes: 9 + 7 },
    });
    assert.deepEqual(
      lines.map((line) => line.text),
      ['12345678', 'ä🎉'],
    );
    assert.equal(outcome.consoleDroppedBytes, 4 + 5);
  });
  scenario('a million lines cost the host no more than the cap', async ({ run }) => {
    const { lines, outcome } = await run('for (let i = 0; i < 1e6; i++) console.log("line", i)');
    assert.equal(outcome.status, 'ok');
    const bytes = lines.reduce((sum, { text }) => sum + Buffer.byteLength(text) + 1, 0);
    assert.ok(bytes <= 65_536 && bytes > 65_000, String(bytes));
    const all = Array.from({ length: 1e6 }, (_, index) => `line ${index}`.length + 1).reduce(
      (sum, size) => sum + size,
      0,
    );
    assert.equal(bytes + outcome.consoleDroppedBytes, all);
  });
  scenario('a million empty lines are capped too', async ({ run }) => {
    const { lines, outcome } = await run('for (let i = 0; i < 1e6; i++) console.log("")');
    assert.equal(lines.length, 65_536);
    assert.equal(outcome.consoleDroppedBytes, 1e6 - 65_536);
  });
  scenario('one huge line is cut', async ({ run }) => {
    const { lines, outcome } = await run('console.log("x".repeat(2e7))');
    assert.equal(lines.length, 1);
    assert.ok((lines[0]?.text.length ?? 0) <= 65_536);
    assert.ok(outcome.consoleDroppedBytes > 1e7);
  });
  scenario('a listener that throws does not disturb the run', async ({ value }) => {
    const onConsole = (): void => {
      throw new Error('the listener is broken');
    };
    assert.equal(await value('console.log(1); return 2', { onConsole }), 2);
  });
}
