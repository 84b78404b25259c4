import assert from 'node:assert/strict';
import { isKernelError } from '@ravi/kernel';
import { endingCases } from './ending-cases.ts';
import { guestOf } from './sandbox-harness.ts';
import type { SandboxHarness } from './sandbox-harness.ts';

/** Beginning and end of runs, one after the other and at once. */
export function lifecycleCases(harness: SandboxHarness): void {
  const { scenario, create } = harness;
  scenario('a language that is not declared is refused', async ({ sandbox, run }) => {
    const { supports } = sandbox;
    const others = (['javascript', 'python'] as const).filter((language) => !supports.languages.includes(language));
    assert.ok(others.length + supports.languages.length >= 2);
    for (const language of others) {
      await assert.rejects(run('', { language }), (error) => isKernelError(error, 'E_UNSUPPORTED'), sandbox.name);
    }
  });
  scenario('a signal that is aborted already starts nothing', async ({ run }) => {
    const { outcome, calls, lines } = await run('console.log(1); await call("x", "")', { signal: AbortSignal.abort() });
    assert.equal(outcome.status, 'cancelled');
    assert.deepEqual([calls, lines], [[], []]);
  });
  for (const [state, code] of [
    ['computes', 'await call("started", ""); for (;;);'],
    ['waits for a call', 'await call("started", ""); await call("never", "")'],
    ['sleeps', 'await call("started", ""); await sleep(1e7)'],
  ] as const) {
    scenario(`abort ends a script that ${state}, and its calls`, async ({ run, value }) => {
      const controller = new AbortController();
      const signals: AbortSignal[] = [];
      const { outcome, calls } = await run(`${code}; await call("after", "")`, {
        signal: controller.signal,
        bridge: ({ op }, { signal }) => {
          signals.push(signal);
          setImmediate(() => controller.abort());
          return op === 'started' ? Promise.resolve('') : new Promise(() => {});
        },
      });
      assert.equal(outcome.status, 'cancelled');
      assert.ok(!calls.some(({ op }) => op === 'after'), 'a call started after the abort');
      if (calls.at(-1)?.op === 'never') assert.equal(signals.at(-1)?.aborted, true);
      assert.equal(await value('return "well"'), 'well');
    });
  }
  scenario('two hundred runs at once all finish, each with its own value', async ({ value }) => {
    const runs = Array.from({ length: 200 }, (_, index) =>
      value(`return [${index}, await call("x", "${index}")]`, { principal: `principal ${index % 3}` }),
    );
    assert.deepEqual(
      await Promise.all(runs),
      Array.from({ length: 200 }, (_, index) => [index, `${index}`]),
    );
  });
  scenario('runs of one principal are as apart as those of two', async ({ value }) => {
    await Promise.all(Array.from({ length: 20 }, () => value('globalThis.mark = 1; await call("x", ""); return mark')));
    const seen = await Promise.all(Array.from({ length: 20 }, () => value('return typeof mark')));
    assert.deepEqual(new Set(seen), new Set(['undefined']));
  });
  scenario('a run that is aborted while it queues never starts', async () => {
    await using sandbox = await create();
    const { run } = guestOf(sandbox, 'javascript');
    const controller = new AbortController();
    const { promise: gate, resolve: open } = Promise.withResolvers<string>();
    const busy = Array.from({ length: 60 }, () => run('return call("x", "")', { bridge: () => gate }));
    const queued = run('await call("x", "")', { signal: controller.signal });
    setImmediate(() => controller.abort());
    const { outcome, calls } = await queued;
    assert.equal(outcome.status, 'cancelled');
    assert.equal(calls.length, 0);
    open('done');
    assert.ok((await Promise.all(busy)).every((result) => result.outcome.status === 'ok'));
  });
  endingCases(harness, 'await call("x", "")');
}
