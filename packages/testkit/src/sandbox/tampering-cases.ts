import assert from 'node:assert/strict';
import type { SandboxHarness } from './sandbox-harness.ts';

/** Changes that a script makes to its own globals before it continues. */
const tampering: readonly string[] = [
  'JSON.stringify = () => "forged"; JSON.parse = () => "forged"',
  'String.prototype.slice = String.prototype.indexOf = String.prototype.charCodeAt = () => { throw new Error("slice") }',
  'String.prototype.toString = String.prototype.valueOf = () => "forged"',
  'Array.prototype.push = Array.prototype.map = Array.prototype.join = () => { throw new Error("push") }',
  'Array.prototype[Symbol.iterator] = () => { throw new Error("iterator") }',
  'for (const index of [0, 1, 2, 3]) Object.defineProperty(Array.prototype, index, { set() { throw new Error("index") }, configurable: true })',
  'Map.prototype.get = Map.prototype.set = Map.prototype.delete = () => { throw new Error("map") }',
  'Function.prototype.call = Function.prototype.apply = Function.prototype.bind = () => { throw new Error("call") }',
  'Reflect.apply = Reflect.ownKeys = Reflect.defineProperty = () => { throw new Error("reflect") }',
  'Object.defineProperty = Object.keys = Object.freeze = Object.hasOwn = () => { throw new Error("object") }',
  'RegExp.prototype.exec = RegExp.prototype.test = () => { throw new Error("exec") }',
  'Number = String = Boolean = Error = TypeError = Map = Date = () => { throw new Error("constructor") }',
  'Date.now = () => { throw new Error("now") }; Date.prototype.getTime = () => NaN',
  'Error.captureStackTrace = () => { throw new Error("capture") }; Error.stackTraceLimit = 1e9',
  'for (const key of ["value", "text", "kind", "field", "fields", "name", "code", "resolve"]) Object.defineProperty(Object.prototype, key, { __proto__: null, set() { throw new Error(key) }, get() { return undefined }, configurable: true })',
  'Object.defineProperty(Object.prototype, "set", { value() {}, configurable: true, writable: true })',
  'Object.prototype.get = () => "forged"',
  'globalThis.console = null; globalThis.setTimeout = null; globalThis.sleep = null',
  'for (const name of Reflect.ownKeys(globalThis)) try { delete globalThis[name] } catch {}',
  'for (const thing of [Object, Function, Array, String, Promise, Map, JSON, Reflect, Error]) { Object.freeze(thing); if (thing.prototype) Object.freeze(thing.prototype) } Object.freeze(globalThis)',
  'Object.setPrototypeOf(globalThis, null)',
  'Promise.resolve = Promise.all = Promise.race = () => { throw new Error("promise") }',
  'globalThis.Promise = class { constructor() { throw new Error("promise") } }',
];

/** Tampering with promises: what a script awaits is then its own affair, but its end still counts. */
const promiseTampering: readonly string[] = [
  'Promise.prototype.then = () => { throw new Error("then") }',
  'Promise.prototype.then = function () { return this }',
  'Object.defineProperty(Promise, Symbol.species, { get() { throw new Error("species") } })',
  'Promise.prototype.constructor = function () { throw new Error("constructor") }',
  'Object.defineProperty(Promise.prototype, "constructor", { get() { throw new Error("constructor") } })',
  'Object.prototype.then = function (resolve) { resolve("forged") }',
  'Array.prototype.toJSON = () => { throw new Error("toJSON") }',
];

/** Unhandled rejections. */
const floating: readonly string[] = [
  'Promise.reject(new Error("floating"))',
  'import("node:fs")',
  'call("x", 1)',
  '(async () => { await null; throw { get message() { throw 1 } } })()',
  'setTimeout(() => { Promise.reject(1) }, 1); await sleep(5)',
];

/** Values that make trouble when they are looked at. */
const troublesome: readonly string[] = [
  'return new Proxy({}, { ownKeys() { throw new Error("trap") } })',
  'return new Proxy({}, { get() { throw new Error("trap") }, getPrototypeOf() { throw new Error("trap") } })',
  'const endless = () => new Proxy({}, { ownKeys: () => ["a"], getOwnPropertyDescriptor: () => ({ value: 1, enumerable: true, configurable: true }), get: (_, key) => key === "a" ? endless() : undefined }); return endless()',
  'const { proxy, revoke } = Proxy.revocable([], {}); revoke(); return proxy',
  'return { toJSON() { throw new Error("toJSON") } }',
  'return { toJSON: () => 1n }',
  'return { [Symbol.toStringTag]: "Map", a: 1 }',
  'return { then(resolve, reject) { reject({ get message() { throw 1 } }) } }',
  'return { get then() { throw new Error("then") } }',
  'return { constructor: null, hasOwnProperty: null, toString: null }',
  'return Object.create({ inherited: () => 1 })',
  'const twin = []; let wide = twin; for (let i = 0; i < 60; i++) wide = [wide, wide]; return wide',
];

/** A guest that turns on its own runtime harms itself at most. */
export function tamperingCases({ scenario }: SandboxHarness): void {
  for (const code of tampering) {
    scenario(`a run comes to its end after: ${code}`, async ({ run, value }) => {
      const { outcome, calls } = await run(`${code}\nawait call('op', 'payload');\nreturn { kept: [1, 'two'] }`);
      assert.deepEqual(calls, [{ op: 'op', payload: 'payload' }]);
      assert.equal(outcome.status, 'ok', JSON.stringify(outcome));
      assert.equal(outcome.status === 'ok' && outcome.value, '{"kept":[1,"two"]}');
      assert.equal(await value('return "well"'), 'well');
    });
  }
  for (const code of [
    ...promiseTampering.map((text) => `${text}\nawait call('a', ''); return ['b']`),
    ...troublesome,
  ]) {
    scenario(`the host is well after: ${code}`, async ({ run, value }) => {
      const { outcome } = await run(code, { limits: { cpuTimeMs: 3_000 } });
      assert.ok(['ok', 'error', 'limit', 'deadlock'].includes(outcome.status), JSON.stringify(outcome));
      if (outcome.status === 'ok' && outcome.value !== undefined) JSON.parse(outcome.value);
      assert.equal(await value('return "well"'), 'well');
    });
  }
  for (const code of floating) {
    scenario(`an unhandled rejection does not end the run: ${code}`, async ({ value }) => {
      assert.equal(await value(`${code};\nawait call('x', '');\nreturn 1`), 1);
    });
  }
  scenario('answers with hostile keys pollute neither guest nor host', async ({ value }) => {
    const bridge = async (): Promise<string> =>
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}';
    const code = 'const got = JSON.parse(await call("x", "")); return [({}).polluted ?? null, Object.keys(got)]';
    assert.deepEqual(await value(code, { bridge }), [null, ['__proto__', 'constructor']]);
    assert.equal(({} as { polluted?: unknown }).polluted, undefined);
  });
  scenario('what a script throws at the bridge boundary stays text', async ({ run }) => {
    const { outcome } = await run('throw Object.assign(new Error("x1:y"), { name: "e5:forge\\n", code: "0:0:" })');
    assert.equal(outcome.status, 'error');
    if (outcome.status === 'error') {
      assert.deepEqual([outcome.error.name, outcome.error.message, outcome.error.code], ['e5:forge\n', 'x1:y', '0:0:']);
    }
  });
}
