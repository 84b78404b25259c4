import type { HostileCase, HostileClass } from '../hostile-case.ts';

/** Sends `payload` as text and checks whether objects of the host have changed. */
const sent = (payload: string): HostileCase => ({
  name: `arguments: ${payload}`,
  code: `await call("parse", ${JSON.stringify(payload)}); return [({}).polluted ?? null, [].polluted ?? null, (() => {}).polluted ?? null]`,
  value: '[null,null,null]',
  calls: 1,
});

/** Lets the host answer with `payload`. */
const answered = (payload: string): HostileCase => ({
  name: `results: ${payload}`,
  code: `const got = JSON.parse(await call("echo", ${JSON.stringify(payload)})); return [({}).polluted ?? null, typeof got, Object.getPrototypeOf({}) === Object.prototype]`,
  value: '[null,"object",true]',
  calls: 1,
});

/** Changes a prototype of its own realm, then continues as usual. */
const spoiled = (code: string): HostileCase => ({
  name: `built-ins: ${code}`,
  code: `${code}\nconst back = await call("echo", "text"); return { back }`,
  value: '{"back":"text"}',
  calls: 1,
});

/** Prototype pollution through arguments, results, and the guest's own built-ins. */
export const pollution: HostileClass = {
  name: 'prototype pollution',
  kind: 'escape',
  cases: [
    sent('{"__proto__":{"polluted":1}}'),
    sent('{"constructor":{"prototype":{"polluted":1}}}'),
    sent('{"a":{"__proto__":{"polluted":1}}}'),
    sent('[{"__proto__":{"polluted":1}}]'),
    sent('{"__proto__":null}'),
    sent('{"__proto__":[],"length":1e9}'),
    sent('{"__defineGetter__":1,"__lookupSetter__":2,"hasOwnProperty":3}'),
    sent('{"toString":null,"valueOf":1,"toJSON":"x","then":"y"}'),
    sent('{"\\u005f_proto__":{"polluted":1}}'),
    answered('{"__proto__":{"polluted":1}}'),
    answered('{"constructor":{"prototype":{"polluted":1}}}'),
    answered('{"then":1,"toJSON":2,"__proto__":{"polluted":1}}'),
    answered('[{"__proto__":{"polluted":1}},{"__proto__":{"polluted":1}}]'),
    answered('{"hasOwnProperty":1,"isPrototypeOf":2,"__proto__":{"then":3}}'),
    spoiled('Object.prototype.polluted = 1'),
    spoiled('Object.prototype.code = Object.prototype.name = Object.prototype.message = reached'),
    spoiled('Object.prototype.status = "ok"; Object.prototype.value = "forged"'),
    spoiled('Object.prototype.op = "forged"; Object.prototype.payload = "forged"'),
    spoiled('Array.prototype.push = Array.prototype.join = function () { return "forged" }'),
    spoiled('Array.prototype[Symbol.iterator] = function* () { yield "forged" }'),
    spoiled('String.prototype.indexOf = String.prototype.slice = () => "forged"'),
    spoiled('String.prototype.charCodeAt = String.prototype.codePointAt = () => 0'),
    spoiled('Function.prototype.call = Function.prototype.apply = () => "forged"'),
    spoiled('Map.prototype.get = Map.prototype.set = () => "forged"'),
    spoiled('JSON.stringify = JSON.parse = () => "forged"'),
    spoiled('Number.prototype.toString = () => "forged"; String = () => "forged"'),
    spoiled('Object.defineProperty(Object.prototype, "id", { get() { return 1 }, set() {}, configurable: true })'),
    spoiled(
      'for (const key of ["0", "1", "length"]) try { Object.defineProperty(Object.prototype, key, { get() { return "forged" }, set() {}, configurable: true }) } catch {}',
    ),
    spoiled(
      'Object.setPrototypeOf(Object.prototype, null); Object.setPrototypeOf(Array.prototype, Function.prototype)',
    ),
    spoiled('Symbol.prototype[Symbol.toPrimitive] = undefined; RegExp.prototype.exec = () => null'),
  ],
};
