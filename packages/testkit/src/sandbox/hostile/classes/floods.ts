import type { HostileCase, HostileClass } from '../hostile-case.ts';

/** Log floods end well: what is too much is dropped and counted. */
const logged = (name: string, code: string): HostileCase => ({
  name,
  code: `${code}; return "through"`,
  value: '"through"',
  limits: { cpuTimeMs: 8_000 },
});

const called = (name: string, code: string): HostileCase => ({
  name,
  code,
  meets: ['calls'],
  limits: { maxCalls: 200, maxInFlight: 8 },
});

/** Floods of output, calls and timers. */
export const floods: HostileClass = {
  name: 'floods of logs, calls and timers',
  kind: 'resource',
  cases: [
    logged('a hundred thousand lines', 'for (let i = 0; i < 1e5; i++) console.log("line " + i)'),
    logged('lines that are empty', 'for (let i = 0; i < 1e5; i++) console.log("")'),
    logged('one line of ten megabytes', 'console.log("x".repeat(1e7))'),
    logged(
      'an object with a hundred thousand keys',
      'console.log(Object.fromEntries(Array.from({ length: 1e5 }, (_, i) => ["k" + i, i])))',
    ),
    logged(
      'an object that is very deep',
      'let deep = {}; for (let i = 0; i < 1e5; i++) deep = { deep }; console.log(deep)',
    ),
    logged('a thousand arguments of a thousand characters', 'console.log(...Array(1e3).fill("x".repeat(1e3)))'),
    logged(
      'every level at once',
      'for (let i = 0; i < 2e4; i++) { console.info(i); console.warn(i); console.error(i); console.debug(i) }',
    ),
    logged('lines from promise jobs', 'for (let i = 0; i < 2e4; i++) { console.log(i); await null }'),
    called('a hundred thousand unawaited calls', 'for (let i = 0; i < 1e5; i++) call("never", ""); await sleep(1e6)'),
    called(
      'a hundred thousand calls at once',
      'await Promise.all(Array.from({ length: 1e5 }, (_, i) => call("echo", String(i))))',
    ),
    called('a hundred thousand calls in a row', 'for (let i = 0; i < 1e5; i++) await call("echo", "")'),
    called('calls that fail, and are made again', 'for (;;) await call("fail", "").catch(() => {})'),
    called(
      'calls made when replies arrive',
      'const again = () => { call("echo", "").then(again); call("echo", "").then(again) }; again(); await sleep(1e6)',
    ),
    called(
      'calls made by timers',
      'setInterval(() => { for (let i = 0; i < 50; i++) call("echo", "") }, 0); await sleep(1e6)',
    ),
    called('a script cannot catch the limit', 'for (;;) { try { await call("echo", "") } catch {} }'),
    {
      name: 'a hundred thousand timers end with the run',
      code: 'for (let i = 0; i < 1e5; i++) setTimeout(() => {}, 1e8 + i); return "through"',
      value: '"through"',
      limits: { cpuTimeMs: 8_000 },
    },
    {
      name: 'intervals of 0 ms do not delay the value of a run',
      code: 'for (let i = 0; i < 50; i++) setInterval(() => {}, 0); return [await call("echo", "answered")]',
      value: '["answered"]',
    },
    {
      name: 'timers that make timers end at a limit',
      code: 'const again = () => { setTimeout(again, 0); setTimeout(again, 0) }; again(); await sleep(1e6)',
      meets: ['cpu', 'wall', 'memory'],
      limits: { cpuTimeMs: 400, wallTimeMs: 3_000 },
    },
    {
      name: 'a sleep without end ends at the wall clock',
      code: 'await sleep(1e9)',
      meets: ['wall'],
      limits: { wallTimeMs: 200 },
    },
    {
      name: 'a call that is never answered ends at the wall clock',
      code: 'await call("never", "")',
      meets: ['wall'],
      limits: { wallTimeMs: 200 },
    },
  ],
};
