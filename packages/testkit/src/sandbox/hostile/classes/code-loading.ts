import { hunting } from '../hostile-case.ts';
import type { HostileCase, HostileClass } from '../hostile-case.ts';

const imported = (specifier: string, attributes = ''): HostileCase => ({
  name: `import(${specifier}${attributes})`,
  code: `const got = await import(${specifier}${attributes}).then((module) => [reached, module], (error) => [hunt(error)]); return got[0]`,
  ends: ['ok', 'error', 'deadlock'],
});

const named = (name: string): HostileCase => ({
  name: `no ${name}, by any name`,
  code: `const found = []; for (const look of [() => eval(${JSON.stringify(name)}), () => globalThis[${JSON.stringify(name)}], () => new Function("return " + ${JSON.stringify(name)})(), () => (0, eval)(${JSON.stringify(name)})]) { try { const got = look(); if (got !== undefined) found.push(reached) } catch {} } return found`,
  value: '[]',
});

/** Loading code, and making it out of text. */
export const codeLoading: HostileClass = {
  name: 'import() and eval',
  kind: 'escape',
  cases: [
    imported('"node:fs"'),
    imported('"fs"'),
    imported('"node:child_process"'),
    imported('"node:process"'),
    imported('"node:vm"'),
    imported('"./anything.js"'),
    imported('"file:///etc/passwd"'),
    imported('"data:text/javascript,export default process"'),
    imported('`http://127.0.0.1:${target.port}/x.mjs`'),
    imported('"data:application/json,1"', ', { with: { type: "json" } }'),
    imported('new Proxy({}, { get: () => () => "node:fs" })'),
    imported('{ toString() { return hunt(this) + "node:fs" } }'),
    ...[
      'process',
      'require',
      'module',
      'Buffer',
      'global',
      'fetch',
      'WebSocket',
      'XMLHttpRequest',
      'Worker',
      'Deno',
      'Bun',
      '__filename',
      'host',
    ].map(named),
    hunting('direct eval', 'eval("this"), eval("(function () { return this })()")'),
    hunting('indirect eval', '(0, eval)("this"), (0, eval)("async () => {}")'),
    hunting(
      'Function with a body that closes its function',
      '(() => { try { return new Function("}, globalThis.left = 1, function () {") } catch (error) { return error } })()',
    ),
    hunting(
      'the constructors of all function kinds',
      'Function, (async () => {}).constructor, (function* () {}).constructor, (async function* () {}).constructor',
    ),
    hunting(
      'a function made by a bound constructor',
      'Function.bind(null, "return this")()(), Reflect.construct(Function, ["return this"])()',
    ),
    hunting('a function made for another new.target', 'Reflect.construct(Function, ["return this"], Array)'),
    {
      name: 'import() out of eval, of Function, and of a timer',
      code: 'const tries = [() => eval("import(\'node:fs\')"), () => new Function("return import(\'node:fs\')")(), () => new Promise((resolve, reject) => setTimeout(() => import("node:fs").then(resolve, reject), 1))]; const got = []; for (const attempt of tries) { try { await Promise.race([attempt(), sleep(20).then(() => { throw 1 })]); got.push(reached) } catch (error) { got.push(...hunt(error)) } } return got',
      value: '[]',
    },
    {
      name: 'import.meta is not part of a script',
      code: 'try { return [eval("import.meta") && reached] } catch (error) { return hunt(error) }',
      value: '[]',
    },
    {
      name: 'a script that closes its own function',
      code: '}}); globalThis.left = typeof process === "object" ? reached : 1; (function () {return async function () { return 2',
      ends: ['ok', 'error'],
      mayNotBegin: true,
    },
    {
      name: 'an HTML comment and a hashbang hide nothing',
      code: 'return [eval("<!-- hidden\\n1"), typeof process]',
      value: '[1,"undefined"]',
    },
  ],
};
