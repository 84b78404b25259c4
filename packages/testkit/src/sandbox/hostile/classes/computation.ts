import type { HostileCase, HostileClass } from '../hostile-case.ts';

const cpuTimeMs = 150;

const endless = (code: string): HostileCase => ({
  name: code,
  code,
  meets: ['cpu'],
  limits: { cpuTimeMs },
});

/** Each step waits for the next one, so memory grows with time. With enough memory the time limit must end it. */
const endlessChain = (code: string): HostileCase => ({
  ...endless(code),
  limits: { cpuTimeMs, memoryBytes: 268_435_456 },
});

/** Scripts that never give the processor back. */
export const computation: HostileClass = {
  name: 'endless loops and bad regular expressions',
  kind: 'resource',
  cases: [
    endless('for (;;);'),
    endless('await call("echo", ""); for (;;);'),
    endless('while (true) await null'),
    endless('(function again() { Promise.resolve().then(again) })(); await sleep(1e6)'),
    endless('(function again() { queueMicrotask(again) })(); await sleep(1e6)'),
    endlessChain('const again = async () => { await null; return again() }; await again()'),
    endless('const again = { then(resolve) { resolve(again) } }; await again'),
    endless('for await (const one of (async function* () { for (;;) yield 1 })());'),
    endless('setTimeout(() => { for (;;); }, 1); await sleep(1e6)'),
    endlessChain(
      'const pair = [async () => { await null; return pair[1]() }, async () => { await null; return pair[0]() }]; await pair[0]()',
    ),
    endless('call("echo", "").then(() => { for (;;); }); await sleep(1e6)'),
    endless('try { for (;;); } finally { for (;;); }'),
    endless('for (;;) try { for (;;); } catch {}'),
    endless('return { toJSON() { for (;;); } }'),
    endless('throw { get message() { for (;;); } }'),
    endless('let n = 3n; for (;;) n = n * n % (2n ** 4096n)'),
    endless('const text = "a".repeat(1e4); for (;;) text.split("").sort().join("")'),
    endless('/^(a+)+$/.test("a".repeat(40) + "b")'),
    endless('/^(a|aa)+$/.test("a".repeat(60) + "b")'),
    endless('/(.*)*(.*)*(.*)*x/.test("a".repeat(60))'),
    endless('/^(([a-z])+.)+[A-Z]([a-z])+$/.test("a".repeat(50))'),
    endless('"a".repeat(60).replace(/(a*)*b/g, "")'),
    endless('"a".repeat(60).match(/(?=(a+))\\1*b|(a+)+c/)'),
    endless('await call("echo", ""); return ["x".repeat(50)].map((text) => /^(x+x+)+y/.test(text))'),
  ],
};
