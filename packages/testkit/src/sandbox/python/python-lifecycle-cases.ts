import assert from 'node:assert/strict';
import { endingCases } from '../ending-cases.ts';
import { slowDeadlocks } from '../sandbox-harness.ts';
import type { SandboxHarness } from '../sandbox-harness.ts';

/** Scripts that wait for a promise that never settles. */
const deadlocks: readonly string[] = [
  'import asyncio\nawait asyncio.get_running_loop().create_future()',
  'import asyncio\ncall("x", "")\nawait asyncio.Event().wait()',
  'import asyncio\nlock = asyncio.Lock()\nawait lock.acquire()\nawait lock.acquire()',
];

/** Beginning and end of scripts in Python. */
export function pythonLifecycleCases(harness: SandboxHarness): void {
  const { scenario } = harness;
  scenario('a signal that is aborted already starts nothing', async ({ run }) => {
    const { outcome, calls, lines } = await run('print(1)\ncall("x", "")', { signal: AbortSignal.abort() });
    assert.equal(outcome.status, 'cancelled');
    assert.deepEqual([calls, lines], [[], []]);
  });
  for (const code of ['while True: pass', 'call("never", "")', 'import time\ntime.sleep(1e6)']) {
    scenario(`abort ends: ${code}`, async ({ run, value }) => {
      const controller = new AbortController();
      const { outcome, calls } = await run(`call("started", "")\n${code}\ncall("after", "")`, {
        signal: controller.signal,
        bridge: ({ op }) => {
          setImmediate(() => controller.abort());
          return op === 'started' ? Promise.resolve('') : new Promise(() => {});
        },
      });
      assert.equal(outcome.status, 'cancelled');
      assert.ok(!calls.some(({ op }) => op === 'after'), 'a call started after the abort');
      assert.equal(await value('return "well"'), 'well');
    });
  }
  scenario('twenty runs at once all finish, each with its own value', async ({ value }) => {
    const runs = Array.from({ length: 20 }, (_, index) =>
      value(`return [${index}, call("x", "${index}")]`, { principal: `principal ${index % 3}` }),
    );
    assert.deepEqual(
      await Promise.all(runs),
      Array.from({ length: 20 }, (_, index) => [index, `${index}`]),
    );
  });
  for (const code of deadlocks) {
    scenario(
      `reports at once that it waits for ever: ${code}`,
      async ({ run }) => {
        const { outcome } = await run(code, { limits: { wallTimeMs: 600_000 } });
        assert.equal(outcome.status, 'deadlock', JSON.stringify(outcome));
      },
      slowDeadlocks,
    );
  }
  endingCases(harness, 'call("x", "")');
}
