import type { HostileClass } from '../hostile-case.ts';

const roomy = { cpuTimeMs: 8_000, memoryBytes: 268_435_456 };

/** Deep and huge values, on their way out and on their way in. */
export const sizes: HostileClass = {
  name: 'deep JSON and huge arguments',
  kind: 'resource',
  cases: [
    {
      name: 'a value five thousand levels deep',
      code: 'let deep = []; for (let i = 0; i < 5e3; i++) deep = [deep]; return deep',
      ends: ['error', 'limit'],
    },
    {
      name: 'a value a million levels deep',
      code: 'let deep = {}; for (let i = 0; i < 1e6; i++) deep = { deep }; return deep',
      ends: ['error', 'limit'],
      limits: roomy,
    },
    {
      name: 'an argument a hundred thousand levels deep',
      code: 'return (await call("parse", "[".repeat(1e5) + "]".repeat(1e5))).length',
      ends: ['ok', 'error'],
      limits: roomy,
      calls: 1,
    },
    {
      name: 'an argument that is not JSON',
      code: 'return await call("parse", "{".repeat(1e5)).catch((error) => error.name)',
      value: '"SyntaxError"',
      limits: roomy,
    },
    {
      name: 'an answer a hundred thousand levels deep',
      code: 'try { JSON.parse(await call("echo", "[".repeat(1e5) + "]".repeat(1e5))); return "read" } catch (error) { return error.name }',
      ends: ['ok', 'limit'],
      limits: roomy,
    },
    {
      name: 'an argument of ten megabytes',
      code: 'return (await call("echo", "x".repeat(1e7))).length',
      value: '10000000',
      limits: roomy,
    },
    {
      name: 'ten arguments of four megabytes at once',
      code: 'const all = await Promise.all(Array.from({ length: 10 }, () => call("length", "x".repeat(4e6)))); return all.length',
      ends: ['ok', 'crashed', 'limit'],
      limits: roomy,
    },
    {
      name: 'an argument beyond every frame',
      code: 'return await call("length", "x".repeat(1e8)).then(() => "sent", (error) => error.name)',
      ends: ['ok', 'error', 'crashed', 'limit'],
      limits: roomy,
    },
    {
      name: 'an operation of a megabyte',
      code: 'return await call("x".repeat(1e6), "short")',
      value: '"short"',
      limits: roomy,
    },
    {
      name: 'a value of fifty megabytes',
      code: 'return "x".repeat(5e7)',
      meets: ['result'],
      limits: roomy,
    },
    {
      name: 'a value with two million entries',
      code: 'return Array.from({ length: 2e6 }, (_, i) => i)',
      meets: ['result', 'memory'],
      limits: roomy,
    },
    {
      name: 'a value that holds one part a million times',
      code: 'let wide = []; for (let i = 0; i < 60; i++) wide = [wide, wide]; return wide',
      meets: ['result', 'cpu'],
      limits: roomy,
    },
    {
      name: 'a value with an endless key',
      code: 'return { ["k".repeat(1e7)]: 1 }',
      meets: ['result'],
      limits: roomy,
    },
    {
      name: 'keys without values',
      code: 'return Object.fromEntries(Array.from({ length: 3e5 }, (_, i) => [i, undefined]))',
      ends: ['ok', 'limit'],
      limits: roomy,
    },
    {
      name: 'an error of fifty megabytes',
      code: 'throw new Error("x".repeat(5e7))',
      ends: ['error', 'limit'],
      limits: roomy,
    },
    {
      name: 'an error name and code of ten megabytes',
      code: 'throw Object.assign(new Error("m"), { name: "x".repeat(1e7), code: "y".repeat(1e7) })',
      ends: ['error', 'limit'],
      limits: roomy,
    },
  ],
};
