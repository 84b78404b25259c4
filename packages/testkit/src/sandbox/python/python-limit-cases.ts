import assert from 'node:assert/strict';
import type { EndingLimit, SandboxLimits } from '@ravi/kernel';
import { assertLimit, assertSupports, guestErrorOf, limitScenario } from '../sandbox-harness.ts';
import type { SandboxHarness } from '../sandbox-harness.ts';

const breaches: readonly (readonly [limit: EndingLimit, code: string, limits: Partial<SandboxLimits>])[] = [
  ['cpu', 'while True: pass', { cpuTimeMs: 200 }],
  ['cpu', 'import re\nre.match("(a+)+$", "a" * 40 + "b")', { cpuTimeMs: 200 }],
  ['wall', 'import time\ntime.sleep(1e6)', { wallTimeMs: 200 }],
  ['wall', 'import asyncio\nawait asyncio.sleep(1e6)', { wallTimeMs: 200 }],
  [
    'wall',
    'import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))\nwhile True: pass',
    { wallTimeMs: 200 },
  ],
  ['memory', 'a = []\nwhile True: a.append("x" * 1000000)', { memoryBytes: 33_554_432 }],
  ['memory', 'return "x" * 10**9', { memoryBytes: 33_554_432 }],
  ['result', 'return "x" * 2000', { maxResultBytes: 1_000 }],
  ['result', 'return "x" * 999', { maxResultBytes: 1_000 }],
  ['calls', 'while True:\n    try: call("x", "")\n    except BaseException: pass', { maxCalls: 7 }],
  ['source', `# ${'x'.repeat(100)}`, { maxSourceBytes: 100 }],
];

const fieldOf = {
  cpu: 'cpuTimeMs',
  wall: 'wallTimeMs',
  memory: 'memoryBytes',
  result: 'maxResultBytes',
  calls: 'maxCalls',
  source: 'maxSourceBytes',
} as const;

/** Limits on a script in Python: each declared one ends it, with its name and value; the next run is well. */
export function pythonLimitCases(harness: SandboxHarness): void {
  const declared = limitScenario(harness);
  harness.scenario('declares what it supports in the terms of the port', async ({ sandbox }) => {
    assertSupports(sandbox, 'python');
  });
  for (const [limit, code, limits] of breaches) {
    declared(limit, `the limit ${limit} ends: ${code.slice(0, 80)}`, async ({ run, value }) => {
      assertLimit(await run(code, { limits }), limit, limits[fieldOf[limit as keyof typeof fieldOf]] as number);
      assert.equal(await value('return "well"'), 'well');
    });
  }
  declared(
    'memory',
    'small objects without end are ended by the memory they take, or by the time that CPython then spins',
    async (guest) => {
      // CPython 3.11 was seen to spin in its allocator once no block is left, until its processor time is over.
      const limits = { memoryBytes: 33_554_432, cpuTimeMs: 5_000 };
      const ended = await guest.run('a = []\nwhile True: a.append({"some": [1, 2, 3]})', { limits });
      const isCpu = ended.outcome.status === 'limit' && ended.outcome.limit === 'cpu';
      assertLimit(ended, isCpu ? 'cpu' : 'memory', isCpu ? limits.cpuTimeMs : limits.memoryBytes);
      assert.equal(await guest.value('return "well"'), 'well');
    },
  );
  declared('cpu', 'what was printed before an endless loop is kept', async ({ run }) => {
    const { lines } = await run('print("before")\nprint("no end", end="")\nwhile True: pass', {
      limits: { cpuTimeMs: 200 },
    });
    assert.deepEqual(
      lines.map(({ text }) => text),
      ['before', 'no end'],
    );
  });
  declared('memory', 'what was printed before memory was spent is kept', async ({ run }) => {
    const { lines } = await run('print("before")\nreturn "x" * 10**9', { limits: { memoryBytes: 33_554_432 } });
    assert.deepEqual(lines, [{ level: 'log', text: 'before' }]);
  });
  declared('memory', 'threads, if there are any, have room for their stacks', async ({ value }) => {
    const code =
      'from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(16) as pool:\n    result = sum(pool.map(lambda i: int(call("x", str(i))), range(16)))';
    assert.equal(await value(code, { limits: { memoryBytes: 67_108_864 } }), 120);
  });
  declared('wall', 'time that humans take is not charged', async ({ run }) => {
    const { promise: asked, resolve } = Promise.withResolvers<string>();
    const humanWaitMs = (): number => {
      resolve('approved');
      return 600_000;
    };
    const { outcome } = await run('call("x", "")', { bridge: () => asked, humanWaitMs, limits: { wallTimeMs: 20 } });
    assert.equal(outcome.status, 'ok', JSON.stringify(outcome));
  });
  declared('stack', 'recursion too deep is an error that a script can catch', async ({ run, value }) => {
    const deep = 'def f(): return f()\n';
    assert.equal(await value(`${deep}try: f()\nexcept RecursionError: result = "caught"`), 'caught');
    assert.equal(guestErrorOf(await run(`${deep}f()`)).code, 'E_LIMIT_STACK');
  });
  declared('call-input', 'a call that carries too much raises, and never reaches the host', async ({ run }) => {
    for (const payload of ['"x" * 1001', '"ä" * 501']) {
      const code = `try: call("x", ${payload})\nexcept Exception as e: result = [e.code, str(e)]`;
      const { outcome, calls } = await run(code, { limits: { maxCallInputBytes: 1_000 } });
      assert.equal(
        outcome.status === 'ok' && outcome.value,
        '["E_LIMIT_CALL_INPUT","The arguments of the call are larger than their limit (maxCallInputBytes: 1000)"]',
      );
      assert.deepEqual(calls, []);
    }
  });
  declared('call-output', 'an answer that is too large fails its call alone', async ({ value }) => {
    const code = 'try: call("x", "y")\nexcept Exception as e: result = e.code';
    const bridge = async (): Promise<string> => 'x'.repeat(11);
    assert.equal(await value(code, { bridge, limits: { maxCallOutputBytes: 10 } }), 'E_LIMIT_CALL_OUTPUT');
  });
}
