import assert from 'node:assert/strict';
import type { SandboxHarness } from './sandbox-harness.ts';

/** Ways to the constructor of a function of another realm; each gives the type of `process` there. */
const escapes: readonly (readonly [name: string, expression: string])[] = [
  ['this', 'this'],
  ['the global object', 'globalThis'],
  ['a bridged call', 'call'],
  ['the promise of a call', 'call("x", "")'],
  ['the answer of a call', 'Object(await call("x", ""))'],
  ['an error of the bridge', 'await call("fail", "").catch((e) => e)'],
  ['an error of a wrong call', 'await call(1, 2).catch((e) => e)'],
  ['the console', 'console'],
  ['a console method', 'console.log'],
  ['a timer function', 'setTimeout'],
  ['the promise of sleep', 'sleep(1)'],
  ['a stack overflow', '(() => { try { (function f() { f() })() } catch (e) { return e } })()'],
  [
    'a stack overflow inside the runtime',
    '(() => { let seen = {}; const f = () => { try { f() } catch (e) { try { console.log(e); call("x", "") } catch (inner) { seen = inner } } }; f(); return seen })()',
  ],
  ['a failed import', 'await import("node:fs").catch((e) => e)'],
  ['a rejected promise of an import', 'import("data:text/javascript,1")'],
  ['an error of a regular expression', '(() => { try { new RegExp("[") } catch (e) { return e } })()'],
  ['an error of eval', '(() => { try { eval("}") } catch (e) { return e } })()'],
  ['an error out of memory', '(() => { try { new ArrayBuffer(2 ** 45) } catch (e) { return e } })()'],
  ['an error of JSON', '(() => { try { JSON.parse("{") } catch (e) { return e } })()'],
  ['an async function', 'async () => {}'],
  ['a generator', 'function* () {}'],
  ['an async generator', 'async function* () {}'],
];

/** Places where the runtime passes something to user code. */
const interceptions: readonly (readonly [name: string, code: string])[] = [
  [
    'a patched then',
    'let got = []; const then = Promise.prototype.then; Promise.prototype.then = function (...values) { got.push(this, ...values); return then.apply(this, values) }; await call("x", ""); await sleep(1)',
  ],
  [
    'a patched call',
    'let got = []; const real = Function.prototype.call; Function.prototype.call = function (...values) { got.push(this, ...values); return Reflect.apply(real, this, values) }; await call("x", "")',
  ],
  [
    'setters on Object.prototype',
    'let got = []; for (const key of ["value", "text", "id", "due", "next", "callback", "resolve", "0", "1"]) Object.defineProperty(Object.prototype, key, { __proto__: null, configurable: true, set(x) { got.push(this, x) }, get() { got.push(this); return undefined } }); await call("x", ""); await sleep(1); console.log({})',
  ],
  [
    'a proxy given to the console',
    'let got = []; const spy = new Proxy(function () {}, new Proxy({}, { get: (_, trap) => (...values) => { got.push(...values); return Reflect[trap](...values) } })); console.log(spy, [spy], { spy })',
  ],
  [
    'a species',
    'let got = []; class Spy extends Promise { constructor(run) { super((a, b) => { got.push(a, b); run(a, b) }) } } Object.defineProperty(Promise, Symbol.species, { get: () => Spy }); await call("x", "").then(() => 1)',
  ],
  [
    'call sites',
    'let got = []; Error.prepareStackTrace = (e, sites) => { for (const s of sites) got.push(s, s.getThis?.(), s.getFunction?.()); return "" }; new Error().stack; try { await call(1) } catch (e) { e.stack }',
  ],
  [
    'callers',
    'let got = []; function spy() { got.push(spy.caller, spy.arguments, arguments.callee.caller) } console.log({ toString: spy }); setTimeout(spy, 0); await sleep(5); spy()',
  ],
  ['a thenable', 'let got = []; await { then(...values) { got.push(this, ...values); values[0]() } }'],
  [
    'toJSON of the value',
    'let got = []; const value = { toJSON(...values) { got.push(this, ...values); return 1 } }; JSON.stringify(value)',
  ],
];

const probe = `const probe = (thing) => {
  const found = [];
  for (let holder = thing, steps = 0; holder !== null && holder !== undefined && steps < 10; holder = Object.getPrototypeOf(holder), steps++) {
    let maker; try { maker = holder.constructor } catch {}
    for (let up = maker, level = 0; typeof up === 'function' && level < 4; up = up.constructor, level++) {
      try { const made = up('return typeof process + typeof require'); found.push(typeof made === 'function' ? made() : 'none') } catch {}
    }
  }
  return found.filter((text) => typeof text === 'string' && text !== 'none' && text !== 'undefinedundefined' && !text.startsWith('return'));
};`;

/** Ways out of a guest. A sandbox that declares no isolation is spared them. */
export function escapeCases(harness: SandboxHarness): void {
  const scenario: SandboxHarness['scenario'] = (name, body) => {
    harness.scenario(name, body, ({ isolation }) =>
      isolation === 'none' ? 'the adapter declares isolation "none"' : undefined,
    );
  };
  const bridge = async ({ op, payload }: { op: string; payload: string }): Promise<string> => {
    if (op === 'fail') throw new TypeError('refused');
    return payload;
  };

  for (const [name, expression] of escapes) {
    scenario(`no way to the host through ${name}`, async ({ value }) => {
      assert.deepEqual(await value(`${probe}\nreturn probe(${expression})`, { bridge }), []);
    });
  }
  for (const [name, code] of interceptions) {
    scenario(`no way to the host through ${name}`, async ({ value }) => {
      const all =
        'const flat = []; for (let i = 0; i < got.length; i++) flat[i] = probe(got[i]).length; let sum = 0; for (let i = 0; i < flat.length; i++) sum += flat[i]; return sum';
      assert.equal(await value(`${probe}\n${code}\n${all}`, { bridge }), 0);
    });
  }
  harness.scenario('no name of the host is reachable', async ({ value }) => {
    const names = [
      'process',
      'require',
      'module',
      'exports',
      'Buffer',
      'global',
      'fetch',
      'XMLHttpRequest',
      'WebSocket',
      'Worker',
      'host',
      '__dirname',
      '__filename',
      'Deno',
      'Bun',
    ];
    const code = `return ${JSON.stringify(names)}.filter((name) => { try { return eval('typeof ' + name) !== 'undefined' } catch { return false } })`;
    assert.deepEqual(await value(code), []);
  });
  harness.scenario('WebAssembly and shared memory are gone', async ({ value }) => {
    const code =
      'return [typeof WebAssembly, typeof SharedArrayBuffer, typeof Atomics, Reflect.ownKeys(globalThis).filter((k) => /wasm|shared|atomics/i.test(String(k)))]';
    assert.deepEqual(await value(code), ['undefined', 'undefined', 'undefined', []]);
  });
  harness.scenario('modules cannot be loaded', async ({ run }) => {
    const specifiers = ['fs', 'node:fs', './x.js', 'data:text/javascript,1', 'file:///etc/passwd'];
    for (const specifier of specifiers) {
      const { outcome } = await run(`await import(${JSON.stringify(specifier)}); return 'loaded'`);
      assert.ok(outcome.status === 'error' || outcome.status === 'deadlock', JSON.stringify(outcome));
    }
  });
  harness.scenario('the environment of the host is not reachable', async (guest) => {
    const canary = `canary-${Math.random()}`;
    process.env.RAVI_SANDBOX_CANARY = canary;
    try {
      await using fresh = await harness.create();
      const outcome = await fresh.run({
        language: 'javascript',
        code: 'const seen = []; const walk = (x, d) => { if (d > 4 || x === null || (typeof x !== "object" && typeof x !== "function")) { seen.push(String(x)); return } for (const k of Reflect.ownKeys(x)) { try { walk(x[k], d + 1) } catch {} } }; walk(globalThis, 0); return seen.join().slice(0, 5e5)',
        prelude: '',
        principal: 'alice',
        limits: {
          wallTimeMs: 30_000,
          cpuTimeMs: 20_000,
          memoryBytes: 268_435_456,
          maxConsoleBytes: 1,
          maxResultBytes: 1e6,
          maxCalls: 1,
          maxInFlight: 1,
        },
        bridge: async () => '',
        onConsole: () => {},
      });
      assert.ok(!JSON.stringify(outcome).includes(canary));
      assert.equal(outcome.status, 'ok', JSON.stringify(outcome).slice(0, 300));
      assert.ok(guest.sandbox.name.length > 0);
    } finally {
      delete process.env.RAVI_SANDBOX_CANARY;
    }
  });
  harness.scenario('a script cannot see private names of the prelude', async ({ value }) => {
    const prelude = 'const secret = "kept"; return { read: () => secret.length };';
    assert.deepEqual(
      await value('return [read(), typeof secret, read.toString().includes("kept"), typeof host]', { prelude }),
      [4, 'undefined', false, 'undefined'],
    );
  });
}
