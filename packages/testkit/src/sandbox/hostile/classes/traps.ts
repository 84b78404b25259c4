import { hunting } from '../hostile-case.ts';
import type { HostileCase, HostileClass } from '../hostile-case.ts';

/** A proxy that keeps everything its traps are given. */
const spy = `const got = []; const spyOn = (thing) => new Proxy(thing, new Proxy({}, { get: (_, trap) => (...values) => { got.push(...values); return Reflect[trap](...values) } }));`;

const spying = (name: string, code: string): HostileCase => hunting(name, '...got', `${spy}\n${code}`);

/** A value that the runtime must look at to bring it out. */
const returned = (name: string, code: string): HostileCase => ({
  name: `returned: ${name}`,
  code: `const got = globalThis.got = []; ${code}`,
  ends: ['ok', 'error', 'limit', 'deadlock'],
  limits: { cpuTimeMs: 1_500 },
});

/** Proxies and getters run code of the script wherever the runtime reads. */
export const traps: HostileClass = {
  name: 'proxies and getters',
  kind: 'escape',
  cases: [
    spying('a proxy as operation', 'await call(spyOn({}), "x").catch((error) => got.push(error))'),
    spying('a proxy as payload', 'await call("echo", spyOn({})).catch((error) => got.push(error))'),
    spying('a proxy of a function in the console', 'console.log(spyOn(function () {}), [spyOn([])], { a: spyOn({}) })'),
    spying('a proxy of an error in the console', 'console.error(spyOn(new Error("x")))'),
    spying(
      'a proxy of a map in the console',
      'try { console.log(spyOn(new Map([[1, 2]]))) } catch (error) { got.push(error) }',
    ),
    spying(
      'a proxy of a date in the console',
      'try { console.log(spyOn(new Date(0)), spyOn(/x/)) } catch (error) { got.push(error) }',
    ),
    spying('a proxy as a timer', 'await new Promise((resolve) => setTimeout(spyOn(resolve), 1, spyOn({})))'),
    spying(
      'a proxy as a delay',
      'try { setTimeout(() => {}, spyOn({ valueOf: () => 1 })) } catch (error) { got.push(error) }; await sleep(2)',
    ),
    spying('a proxy as a microtask', 'await new Promise((resolve) => queueMicrotask(spyOn(resolve)))'),
    spying(
      'a proxy in structuredClone',
      'try { got.push(structuredClone(spyOn({ a: 1 }))) } catch (error) { got.push(error) }',
    ),
    spying('a proxy in the encoder', 'try { new TextEncoder().encode(spyOn({})) } catch (error) { got.push(error) }'),
    spying(
      'a proxy as prototype of the global object',
      'try { Object.setPrototypeOf(globalThis, spyOn({})) } catch {} await call("echo", ""); missing: try { void notThere } catch (error) { got.push(error) }',
    ),
    spying(
      'a proxy as prototype of Object.prototype',
      'try { Object.setPrototypeOf(Object.prototype, spyOn({})) } catch {} await call("echo", "")',
    ),
    spying('a proxy in place of the global Promise', 'globalThis.Promise = spyOn(Promise); await call("echo", "")'),
    spying(
      'a proxy of the bridge function',
      'await spyOn(call)("echo", ""); await Reflect.apply(spyOn(call), spyOn({}), ["echo", ""])',
    ),
    spying(
      'getters on Object.prototype',
      'for (const key of ["value", "text", "id", "due", "next", "callback", "resolve", "reject", "get", "set"]) Object.defineProperty(Object.prototype, key, { __proto__: null, configurable: true, set(x) { got[got.length] = this; got[got.length] = x }, get() { got[got.length] = this; return undefined } }); await call("echo", ""); await sleep(1); console.log({}); for (const key of ["value", "text", "id", "due", "next", "callback", "resolve", "reject", "get", "set"]) delete Object.prototype[key]',
    ),
    spying(
      'getters on Function.prototype',
      'for (const key of ["call", "apply", "bind"]) { const real = Function.prototype[key]; Object.defineProperty(Function.prototype, key, { configurable: true, get() { got[got.length] = this; return real } }) } await call("echo", "")',
    ),
    spying(
      'getters on Array.prototype',
      'for (const key of ["0", "1", "push"]) Object.defineProperty(Array.prototype, key, { configurable: true, set(x) { Reflect.defineProperty(this, key, { value: x, writable: true, configurable: true, enumerable: true }) }, get() { return undefined } }); await call("echo", ""); console.log([1])',
    ),
    returned(
      'a proxy whose every trap throws',
      'return new Proxy({}, new Proxy({}, { get() { throw new Error("trap") } }))',
    ),
    returned(
      'a proxy with keys that never end',
      'return new Proxy({}, { ownKeys: () => Array.from({ length: 1e6 }, (_, i) => "k" + i), getOwnPropertyDescriptor: () => ({ value: 1, enumerable: true, configurable: true }) })',
    ),
    returned(
      'a proxy that is deeper than any stack',
      'const deep = () => new Proxy({}, { ownKeys: () => ["a"], getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true, value: 1 }), get: () => deep() }); return deep()',
    ),
    returned('a revoked proxy', 'const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return [proxy]'),
    returned(
      'an array proxy that lies about its length',
      'return new Proxy([], { get: (t, key) => (key === "length" ? 2 ** 53 : 1) })',
    ),
    returned(
      'a getter that changes what it is part of',
      'const value = { get a() { delete value.b; value.c = { d: 1 }; return 1 }, b: 2 }; return value',
    ),
    returned('a getter that calls the host', 'return { get a() { call("echo", "late"); return 1 } }'),
    returned(
      'a getter that writes to the console without end',
      'return { get a() { for (let i = 0; i < 1e5; i++) console.log("x"); return 1 } }',
    ),
    returned(
      'a getter that redefines the serialiser',
      'return { get a() { JSON.stringify = () => reached.slice(1); return "a" }, b: "b" }',
    ),
    returned(
      'an object that grows while it is read',
      'const value = {}; const grow = (n) => Object.defineProperty(value, "k" + n, { enumerable: true, get() { grow(n + 1); return n } }); grow(0); return value',
    ),
  ],
};
