import { hunting } from '../hostile-case.ts';
import type { HostileCase, HostileClass } from '../hostile-case.ts';

const any = ['ok', 'error', 'limit', 'deadlock'] as const;

const returned = (name: string, code: string, extra: Partial<HostileCase> = {}): HostileCase => ({
  name,
  code,
  ends: any,
  limits: { cpuTimeMs: 1_500 },
  ...extra,
});

/** `toJSON`, thenables and species are called by the runtime, with arguments of its own. */
export const conversions: HostileClass = {
  name: 'toJSON, thenables and species',
  kind: 'escape',
  cases: [
    returned(
      'toJSON receives no object of the host',
      'const got = []; const value = { toJSON(...all) { got.push(this, ...all); return hunt(...got) } }; return value',
    ),
    returned(
      'toJSON of a nested value',
      'return { a: [{ toJSON(...all) { return hunt(this, ...all, new Error("x")) } }] }',
    ),
    returned(
      'toJSON that throws an object of its own',
      'return { toJSON() { throw { get message() { return reached.slice(1) } } } }',
    ),
    returned('toJSON that returns itself', 'const value = { toJSON() { return value } }; return value'),
    returned('toJSON that returns a new one without end', 'const make = () => ({ toJSON: make }); return make()'),
    returned(
      'toJSON on Object.prototype',
      'Object.prototype.toJSON = function () { return { kept: 1 } }; return { a: 1 }',
    ),
    returned(
      'toJSON on String.prototype',
      'String.prototype.toJSON = function () { return reached.slice(1) }; return ["a"]',
    ),
    returned('toJSON that calls the host', 'return { toJSON() { call("echo", "late"); return 1 } }'),
    returned('toJSON that is a proxy', 'return { toJSON: new Proxy(() => 1, {}) }'),
    returned('toJSON of a date that lies', 'const date = new Date(0); date.toJSON = () => ({ then: 1 }); return date'),
    hunting(
      'a thenable receives functions of the guest',
      '...got',
      'const got = []; await { then(...all) { got.push(this, ...all); all[0]() } }',
    ),
    hunting(
      'a thenable returned by then',
      '...got',
      'const got = []; await call("echo", "").then(() => ({ then(...all) { got.push(this, ...all); all[0]() } }))',
    ),
    returned('a thenable that resolves twice', 'return { then(resolve) { resolve(1); resolve(2) } }', {
      ends: ['ok'],
      value: '1',
    }),
    returned(
      'a thenable that resolves and throws',
      'return { then(resolve) { resolve(1); throw new Error("late") } }',
      { ends: ['ok'], value: '1' },
    ),
    returned('a thenable that never settles', 'return { then() {} }', {
      ends: ['deadlock', 'limit'],
      limits: { wallTimeMs: 1_000 },
    }),
    returned('a thenable that resolves to itself', 'const value = { then(resolve) { resolve(value) } }; return value', {
      limits: { cpuTimeMs: 150 },
    }),
    returned(
      'a thenable whose then is a getter',
      'let n = 0; return { get then() { return n++ === 0 ? (resolve) => resolve(this) : undefined }, kept: 1 }',
    ),
    returned(
      'then on Object.prototype',
      'Object.prototype.then = function (resolve) { resolve("forged") }; await call("echo", ""); return { a: 1 }',
    ),
    returned(
      'then on the answer of a call',
      'String.prototype.then = function (resolve) { resolve("forged") }; return await call("echo", "real")',
      { ends: ['ok'], value: '"real"' },
    ),
    hunting(
      'a patched then sees guest values only',
      '...got',
      'const got = []; const real = Promise.prototype.then; Promise.prototype.then = function (...all) { got[got.length] = this; for (const one of all) got[got.length] = one; return Reflect.apply(real, this, all) }; await call("echo", ""); await sleep(1)',
    ),
    hunting(
      'a species of promises',
      '...got',
      'const got = []; class Spy extends Promise { constructor(run) { super((a, b) => { got.push(a, b); run(a, b) }) } } Object.defineProperty(Promise, Symbol.species, { get: () => Spy }); await call("echo", "").then(() => 1); await sleep(1)',
    ),
    hunting(
      'a species of arrays',
      '...got',
      'const got = []; class Spy extends Array { constructor(...all) { super(...all); got.push(this, new.target) } } Object.defineProperty(Array, Symbol.species, { get: () => Spy }); [1].map(String); console.log([1, [2]]); await call("echo", "")',
    ),
    hunting(
      'a species of typed arrays',
      '...got',
      'const got = []; class Spy extends Uint8Array { constructor(...all) { super(...all); got.push(this) } } Object.defineProperty(Object.getPrototypeOf(Uint8Array), Symbol.species, { get: () => Spy }); new TextEncoder().encode("x").slice(0); structuredClone(new Uint8Array(2))',
    ),
    hunting(
      'a species of regular expressions',
      '...got',
      'const got = []; Object.defineProperty(RegExp, Symbol.species, { get: () => function (...all) { got.push(this, ...all); return /x/ } }); "axb".split(/x/); atob("eA=="); console.log(/x/)',
    ),
    hunting(
      'a constructor of promises',
      '...got',
      'const got = []; const promise = call("echo", ""); promise.constructor = { [Symbol.species]: function (run) { got.push(run); run((...all) => got.push(...all), (...all) => got.push(...all)) } }; promise.then(() => 1); await promise',
    ),
    hunting(
      'Symbol.toPrimitive in calls',
      '...got',
      'const got = []; const value = { [Symbol.toPrimitive](...all) { got.push(this, ...all); return "x" } }; await call(value, value).catch((error) => got.push(error)); console.log(`${value}`); setTimeout(() => {}, value)',
    ),
    hunting(
      'Symbol.hasInstance and toStringTag',
      '...got',
      'const got = []; Object.defineProperty(Error, Symbol.hasInstance, { value(...all) { got.push(this, ...all); return true } }); Object.defineProperty(Object.prototype, Symbol.toStringTag, { get() { got.push(this); return "Map" }, configurable: true }); await call(1, 2).catch((error) => got.push(error)); console.log({}); delete Object.prototype[Symbol.toStringTag]',
    ),
  ],
};
