import assert from 'node:assert/strict';
import { createBarrier } from '../sandbox-harness.ts';
import type { SandboxHarness } from '../sandbox-harness.ts';

/** Ways to have six calls under way at once. */
const parallel: readonly string[] = [
  'import asyncio\nreturn await asyncio.gather(*[call("x", str(i)) for i in range(6)])',
  'import asyncio\ntasks = [call("x", str(i)) for i in range(6)]\nreturn await asyncio.gather(*tasks)',
  'import asyncio\ntasks = []\nfor i in range(6):\n    tasks.append(call("x", str(i)))\nreturn await asyncio.gather(*tasks)',
  'import asyncio\nasync def one(i):\n    return await call("x", str(i))\nreturn await asyncio.gather(*map(one, range(6)))',
  'import asyncio\nasync def main():\n    return await asyncio.gather(*(call("x", str(i)) for i in range(6)))\nasyncio.run(main())',
  'from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(6) as pool:\n    result = list(pool.map(lambda i: call("x", str(i)), range(6)))',
];

/** Six answers in one frame for six threads, again and again; the second with an event loop in one of them. */
const readTogether: readonly string[] = [
  'from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(6) as pool:\n    result = sum(len(list(pool.map(lambda i: call("x", str(i)), range(6)))) for _ in range(150))',
  'import asyncio\nthreads = lambda: [asyncio.to_thread(call, "x", str(i)) for i in range(3)]\nreturn sum([len(await asyncio.gather(*threads(), *[call("x", str(i)) for i in range(3)])) for _ in range(150)])',
];

const payloads: readonly string[] = ['', '\n', 'a1:12:{}', '\u0000\u0001', 'ä🎉\u2028', '{"__proto__":{"polluted":1}}'];

/** Calls out of a script in Python. */
export function pythonCallCases({ scenario, hasThreads = true }: SandboxHarness): void {
  const withThreads = (name: string, body: Parameters<typeof scenario>[1]): void =>
    scenario(name, body, () => (hasThreads ? undefined : 'its functions in threads run one after the other'));
  for (const code of parallel) {
    const register = code.includes('Thread') ? withThreads : scenario;
    register(`calls run at the same time and keep their order: ${code}`, async ({ value }) => {
      const barrier = createBarrier(6);
      assert.deepEqual(await value(code, { bridge: barrier.bridge }), Array.from('012345'));
      assert.equal(barrier.highest, 6);
    });
  }
  for (const code of readTogether) {
    withThreads(
      `a reply reaches the caller that waits for it, whichever thread reads it: ${code}`,
      async ({ value }) => {
        const barrier = createBarrier(6);
        assert.equal(await value(code, { bridge: barrier.bridge, limits: { maxCalls: 900 } }), 900);
      },
    );
  }
  scenario('functions in a pool of threads make their calls and give their results in order', async ({ value }) => {
    const code =
      'from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(6) as pool:\n    result = list(pool.map(lambda i: call("x", str(i)), range(6)))';
    assert.deepEqual(await value(code), Array.from('012345'));
  });
  scenario('more calls than may be in flight wait, and all finish', async ({ value }) => {
    const barrier = createBarrier(4);
    const code = 'import asyncio\nreturn len(await asyncio.gather(*[call("x", str(i)) for i in range(200)]))';
    assert.equal(await value(code, { bridge: barrier.bridge, limits: { maxInFlight: 4 } }), 200);
    assert.equal(barrier.highest, 4);
  });
  scenario('sequential calls alternate with answers', async ({ value }) => {
    assert.equal(await value('sum(int(call("x", str(i))) for i in range(200))'), 19_900);
  });
  scenario('text of any kind crosses both ways', async ({ run, value }) => {
    const code = `import json\n[call("op " + p[:4], p) == p for p in json.loads(${JSON.stringify(JSON.stringify(payloads))})]`;
    const { outcome, calls } = await run(code);
    assert.deepEqual(
      outcome.status === 'ok' && JSON.parse(outcome.value ?? ''),
      payloads.map(() => true),
    );
    assert.deepEqual(
      calls.map(({ payload }) => payload),
      payloads,
    );
    for (const text of ['🎉'.repeat(50_000), 'x'.repeat(2_000_000)]) {
      assert.equal(await value('len(call("x", ""))', { bridge: async () => text }), Array.from(text).length);
    }
  });
  scenario('unawaited calls are aborted when the script ends', async ({ run }) => {
    const { promise: aborted, resolve } = Promise.withResolvers<void>();
    const { outcome } = await run(
      'import asyncio\ntasks = [call("x", "")]\nawait asyncio.sleep(0)\ncall("second", "")\nreturn 1',
      {
        bridge: ({ op }, { signal }) => {
          if (op === 'second') return Promise.resolve('');
          signal.addEventListener('abort', () => resolve(), { once: true });
          return new Promise(() => {});
        },
      },
    );
    assert.equal(outcome.status, 'ok', JSON.stringify(outcome));
    await aborted;
  });
  scenario('answers that come when a run is over do not disturb the next one', async ({ value }) => {
    const code =
      'import asyncio\ntasks = [call("x", "answer") for _ in range(8)]\nawait asyncio.sleep(0)\nreturn "own"';
    for (let runs = 0; runs < 10; runs++) assert.equal(await value(code), 'own');
  });
}
