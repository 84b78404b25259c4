import { hunting } from '../hostile-case.ts';
import type { HostileClass } from '../hostile-case.ts';

/** Every object that the runtime passes to a script has a constructor, which has a constructor too. */
export const constructors: HostileClass = {
  name: 'constructors of bridged values',
  kind: 'escape',
  cases: [
    hunting('this', 'this'),
    hunting('the global object', 'globalThis'),
    hunting('the bridge function', 'call'),
    hunting('its name and length', 'Object.getOwnPropertyDescriptors(call)'),
    hunting('its prototype', 'call.prototype, Object.getPrototypeOf(call)'),
    hunting('a promise of the bridge', 'call("echo", "")'),
    hunting('what a promise of the bridge gives to then', 'call("echo", "").then(function () { return arguments })'),
    hunting(
      'what a promise of the bridge gives to finally',
      'call("echo", "").finally(function () { return arguments })',
    ),
    hunting('an answer as an object', 'Object(await call("echo", "text"))'),
    hunting('a parsed answer', 'JSON.parse(await call("echo", \'{"a":[{}]}\'))'),
    hunting('the console', 'console'),
    hunting('every console method', '...Object.values(console)'),
    hunting('what the console returns', 'console.log("x"), console.error("y")'),
    hunting('setTimeout', 'setTimeout'),
    hunting('what setTimeout returns', 'setTimeout(() => {}, 1)'),
    hunting(
      'the arguments of a timer callback',
      'await new Promise((resolve) => setTimeout(function (...all) { resolve([this, arguments, all]) }, 1, {}))',
    ),
    hunting('setInterval and the others', 'setInterval, clearTimeout, clearInterval'),
    hunting('sleep and its promise', 'sleep, sleep(1)'),
    hunting(
      'queueMicrotask',
      'queueMicrotask, await new Promise((resolve) => queueMicrotask(function () { resolve([this, arguments]) }))',
    ),
    hunting('structuredClone and a copy', 'structuredClone, structuredClone({ a: [new Map([[1, new Date(0)]])] })'),
    hunting(
      'the text encoder',
      'TextEncoder, new TextEncoder(), new TextEncoder().encode("x"), new TextEncoder().encode("x").buffer',
    ),
    hunting('the text decoder', 'TextDecoder, new TextDecoder(), new TextDecoder().decode()'),
    hunting('atob and btoa', 'atob, btoa, Object(btoa("x"))'),
    hunting('every global there is', '...Reflect.ownKeys(globalThis).map((key) => globalThis[key])'),
    hunting('the tools of the prelude', 'hunt, steal, target'),
    hunting('arguments of the script itself', 'typeof arguments === "object" ? arguments : undefined'),
    hunting(
      'the prototypes of generators',
      '(function* () {})(), (async function* () {})(), Object.getPrototypeOf(async () => {})',
    ),
    hunting('iterators of what was answered', '(await call("echo", "text"))[Symbol.iterator](), "a".matchAll(/a/g)'),
    {
      name: 'new.target and subclasses of what the runtime defines',
      code: 'const found = []; for (const name of ["TextEncoder", "TextDecoder"]) { class Sub extends globalThis[name] { constructor() { super(); found.push(new.target, this) } } new Sub() } return hunt(...found)',
      value: '[]',
    },
    {
      name: 'the bridge function as a constructor',
      code: 'try { return hunt(new call("echo", "")) } catch (error) { return hunt(error) }',
      value: '[]',
    },
    {
      name: 'the bridge function with another this',
      code: 'const got = []; for (const self of [null, globalThis, {}, new Proxy({}, {}), 1]) { try { got.push(await call.call(self, "echo", "x")) } catch (error) { got.push(error) } } return hunt(got)',
      value: '[]',
    },
  ],
};
