import type { SeededRandom } from '../../doubles/seeded-random.ts';

const names = [
  'a',
  'b',
  'c',
  'call',
  'globalThis',
  'Object.prototype',
  'Promise',
  'Array.prototype',
  'console',
  'Error',
];
const keys = ['then', 'constructor', 'toJSON', '__proto__', 'prototype', 'length', 'stack', 'valueOf', 'call', '0'];

/** Returns a random script: grammatical, short, and biased towards weak points of runtimes. */
export function generateScript(random: SeededRandom): string {
  return [
    'let a = 1, b = {}, c = [];',
    ...Array.from({ length: 2 + random.below(6) }, () => `try { ${statement(random, 3, true)} } catch (e) { a = e }`),
    `return ${expression(random, 3)};`,
  ].join('\n');
}

/** `mayAwait` is false in functions that are not async: a script with `await` there would not even begin. */
function statement(random: SeededRandom, depth: number, mayAwait: boolean): string {
  if (depth === 0) return `${expression(random, 1)};`;
  const inner = (): string => statement(random, depth - 1, mayAwait);
  const innerOf = (kind: 'async' | 'sync'): string => statement(random, depth - 1, kind === 'async');
  const value = (): string => expression(random, depth - 1);
  return random.pick([
    () => `${random.pick(['a', 'b', 'c'])} = ${value()};`,
    () => `${random.pick(names)}[${key(random)}] = ${value()};`,
    () =>
      `Object.defineProperty(${random.pick(names)}, ${key(random)}, { get() { ${innerOf('sync')} return ${value()} }, configurable: true });`,
    () => `for (let i = 0; i < ${random.pick([3, 100, 1e5])}; i++) { ${inner()} }`,
    () => `setTimeout(async () => { ${innerOf('async')} }, ${random.below(3)});`,
    () => `queueMicrotask(async () => { ${innerOf('async')} });`,
    () => `setTimeout(() => { ${innerOf('sync')} }, ${random.below(3)});`,
    () => `if (${value()}) { ${inner()} } else { ${inner()} }`,
    () => `delete ${random.pick(names)}[${key(random)}];`,
    () => `${mayAwait ? 'await ' : ''}Promise.race([${value()}, sleep(2)]);`,
    () => `console.log(${value()}, ${value()});`,
    () => `throw ${value()};`,
    () =>
      `class X extends ${random.pick(['Promise', 'Array', 'Error', 'Object'])} { constructor(...all) { super(...all); ${innerOf('sync')} } } new X(${value()});`,
  ])();
}

function expression(random: SeededRandom, depth: number): string {
  if (depth === 0)
    return random.pick(['0', '-1', '1n', '""', '"x".repeat(1e4)', 'null', 'undefined', 'NaN', 'Symbol()', ...names]);
  const inner = (): string => expression(random, depth - 1);
  return random.pick([
    () => inner(),
    () => `[${inner()}, ${inner()}]`,
    () => `({ [${key(random)}]: ${inner()}, b: ${inner()} })`,
    () => `(${inner()})[${key(random)}]`,
    () => `(() => ${inner()})()`,
    () => `(async () => { await null; return ${inner()} })()`,
    () => `new Proxy({}, { get: () => ${inner()}, ownKeys: () => ["a", ${inner()}] })`,
    () => `call(${random.pick(['"echo"', '"fail"', '"parse"', inner()])}, ${random.pick(['"{}"', inner()])})`,
    () => `JSON.stringify(${inner()})`,
    () => `hunt(${inner()})`,
    () => `Object.assign(${inner()}, ${inner()})`,
    () => `structuredClone(${inner()})`,
    () => `Reflect.construct(${random.pick(names)}, [${inner()}])`,
    () => `eval(${JSON.stringify(random.pick(['this', 'a', '[].concat(b)', 'new Function("return this")()']))})`,
    () => `(function () { return arguments })(${inner()})`,
  ])();
}

function key(random: SeededRandom): string {
  return random.below(6) === 0 ? 'Symbol.iterator' : JSON.stringify(random.pick(keys));
}
