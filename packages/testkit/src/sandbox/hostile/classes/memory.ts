import type { HostileCase, HostileClass } from '../hostile-case.ts';

const memoryBytes = 33_554_432;

const bomb = (code: string): HostileCase => ({
  name: code,
  code,
  // A machine may be too slow to fill its memory in the processor time there is: a limit either way.
  meets: ['memory', 'cpu'],
  limits: { memoryBytes, cpuTimeMs: 2_000 },
});

/** More than there is at once: the language refuses it, or the limit does. */
const greedy = (code: string): HostileCase => ({
  name: code,
  code,
  ends: ['error', 'limit'],
  limits: { memoryBytes, cpuTimeMs: 2_000 },
});

/** Scripts that take memory without end. */
export const memory: HostileClass = {
  name: 'allocation bombs, typed arrays and string doubling',
  kind: 'resource',
  cases: [
    bomb('const all = []; for (;;) all.push({ some: { object: [1, 2, 3] } })'),
    bomb('const all = []; for (;;) all.push(new Array(1e5).fill(all.length))'),
    bomb('const all = []; for (;;) { all.push(new Array(1e4).fill(all.length)); await null }'),
    bomb('const all = new Map(); for (let i = 0; ; i++) all.set(i, { i })'),
    bomb('const all = new Set(); for (let i = 0; ; i++) all.add("key " + i)'),
    bomb('let list = null; for (;;) list = { list, pad: [1, 2, 3, 4] }'),
    bomb('const all = []; for (;;) all.push(() => all)'),
    bomb('const all = []; for (;;) all.push(new Promise(() => {}))'),
    bomb(
      'const all = []; for (;;) { try { throw new Error("x".repeat(1e3) + all.length) } catch (error) { all.push(error, error.stack) } }',
    ),
    bomb('const all = []; for (;;) all.push(("x" + all.length).repeat(1e5).split(""))'),
    bomb(
      'const all = []; for (;;) { try { all.push(new Uint8Array(1e6).fill(1)) } catch { all.push(new Array(1e5).fill({})) } }',
    ),
    bomb(
      'const all = []; for (;;) { try { all.push(new Float64Array(1e5).fill(1)) } catch { all.push(new Array(1e5).fill({})) } }',
    ),
    greedy('return new ArrayBuffer(2 ** 40).byteLength'),
    greedy('return new Uint8Array(2 ** 33).fill(1).length'),
    greedy('const all = []; for (let i = 0; i < 200; i++) all.push(new Uint8Array(1e6).fill(i)); return all.length'),
    greedy(
      'const buffer = new ArrayBuffer(1, { maxByteLength: 2 ** 31 }); buffer.resize(2 ** 31); new Uint8Array(buffer).fill(1); return 1',
    ),
    greedy('let text = "x"; for (;;) text += text'),
    greedy('let text = "x"; for (let i = 0; i < 28; i++) text += text; return text.split("").length'),
    greedy('return new Array(2 ** 32 - 1).fill(0).length'),
    greedy('return [].concat(...new Array(1e3).fill(new Array(1e6).fill(1))).length'),
    greedy('return JSON.parse("[" + "[],".repeat(1e7) + "0]").length'),
    greedy('return "x".padEnd(2 ** 28).replace(/ /g, "yyyy").length'),
    greedy('return (2n ** (2n ** 30n)).toString().length'),
    greedy(
      'const all = []; for (let i = 0; i < 1e3; i++) all.push(structuredClone(new Uint8Array(1e6).fill(1))); return all.length',
    ),
  ],
};
