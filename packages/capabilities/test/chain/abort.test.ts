import { setImmediate } from 'node:timers/promises';
import { createIsolatedVmSandbox } from '@ravi/sandbox-isolated-vm';
import { createFakeClock } from '@ravi/testkit';
import { afterAll, expect, test } from 'vitest';
import { createHarness, freeTool } from './harness.ts';

const sandbox = createIsolatedVmSandbox();
afterAll(() => sandbox[Symbol.asyncDispose]());

// A turn of an idle event loop takes microseconds; a wait for a timer or a process takes thousands.
const maxTurns = 50;

const scripts = [
  ['waits for its calls', 'await Promise.allSettled([tools.polite(), tools.deaf()]); await tools.next()'],
  ['computes during its calls', 'tools.polite(); tools.deaf(); await tools.started(); for (;;);'],
  ['sleeps', 'tools.polite(); tools.deaf(); await sleep(1e7); await tools.next()'],
  ['calls again and again', 'tools.polite(); tools.deaf(); for (;;) await tools.next.safe()'],
] as const;

for (const [state, code] of scripts) {
  test(`an abort ends a script that ${state} and its tools at once, and no call starts after it`, async () => {
    const signals: AbortSignal[] = [];
    const started: string[] = [];
    const note = (name: string): void => void started.push(name);
    const { promise: underWay, resolve } = Promise.withResolvers<void>();
    const { run, pins } = createHarness(
      sandbox,
      [
        freeTool('polite', (_args, { signal }) => {
          note('polite');
          signals.push(signal);
          return new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason as Error));
          });
        }),
        freeTool('deaf', (_args, { signal }) => {
          note('deaf');
          signals.push(signal);
          resolve();
          return new Promise<string>(() => {});
        }),
        freeTool('started', () => 'yes'),
        freeTool('next', () => (note('next'), setImmediate('next'))),
      ],
      // The fake clock never advances: nothing here may wait for time to pass.
      { clock: createFakeClock() },
    );
    const controller = new AbortController();
    let ended = false;
    const running = run(code, { maxScriptCalls: 1_000_000 }, controller.signal).finally(() => (ended = true));
    await underWay;
    controller.abort();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
    const startedBefore = started.length;
    let turns = 0;
    for (; !ended && turns < maxTurns; turns++) await setImmediate();
    expect(ended, `it still runs after ${turns} turns`).toBe(true);
    const { status, error, callTrace } = await running;
    expect({ status, code: error?.code }).toEqual({ status: 'cancelled', code: 'E_CANCELLED' });
    expect(started).toHaveLength(startedBefore);
    const open = callTrace.filter(({ tool }) => tool === 'polite' || tool === 'deaf');
    expect(open.map((record) => record.status)).toEqual(['cancelled', 'cancelled']);
    expect(await pins()).toBe(0);
  });
}
