import assert from 'node:assert/strict';
import { guestErrorOf, slowDeadlocks } from './sandbox-harness.ts';
import type { SandboxHarness } from './sandbox-harness.ts';

/** Scripts that wait for a promise that never settles. */
const deadlocks: readonly string[] = [
  'await new Promise(() => {})',
  'let resolve; const gate = new Promise((r) => { resolve = r }); await gate',
  'await { then() {} }',
  'const a = async () => { await b }; const b = (async () => { await 1; await a() })(); await b',
  'await call("x", ""); await new Promise(() => {})',
  'setTimeout(() => {}, 1); await new Promise(() => {})',
  'await Promise.race([])',
  'await Promise.all([call("x", ""), new Promise(() => {})])',
];

/** Timers, and what a script waits for. */
export function timerCases({ scenario }: SandboxHarness): void {
  scenario('timers fire in order of their time, equal ones in order of their making', async ({ value }) => {
    const code = `const order = [];
      const done = new Promise((resolve) => setTimeout(resolve, 30));
      setTimeout((x) => order.push(x), 20, 'late'); setTimeout(() => order.push('a'), 1); setTimeout(() => order.push('b'), 1);
      await done; return order`;
    assert.deepEqual(await value(code), ['a', 'b', 'late']);
  });
  scenario('promise jobs run between two timers that are due at once', async ({ value }) => {
    const code = `const order = [];
      setTimeout(() => { order.push(1); Promise.resolve().then(() => order.push(2)) }, 5);
      setTimeout(() => order.push(3), 5);
      await sleep(15); return order`;
    assert.deepEqual(await value(code), [1, 2, 3]);
  });
  scenario('a cleared timer does not fire, an interval fires until it is cleared', async ({ value }) => {
    const code = `const order = [];
      clearTimeout(setTimeout(() => order.push('no'), 1)); clearTimeout(undefined); clearTimeout('x');
      await new Promise((resolve) => { const id = setInterval(() => { if (order.push('tick') === 3) { clearInterval(id); resolve() } }, 1) });
      await sleep(5); return order`;
    assert.deepEqual(await value(code), ['tick', 'tick', 'tick']);
  });
  scenario('calls are answered while timers run', async ({ value }) => {
    const code = 'const tick = () => setTimeout(tick, 0); tick(); return [await call("x", "answered"), await sleep(5)]';
    assert.deepEqual(await value(code), ['answered', null]);
  });
  scenario('timers end with the run', async ({ value }) => {
    assert.equal(
      await value('setInterval(() => {}, 1); for (let i = 0; i < 1e4; i++) setTimeout(() => {}, 1e9); return 1'),
      1,
    );
  });
  scenario('odd delays count as zero, and only functions are accepted', async ({ value }) => {
    const code = `const fired = [];
      for (const delay of [undefined, null, -5, NaN, '2', {}]) await new Promise((resolve) => setTimeout(() => { fired.push(1); resolve() }, delay));
      try { setTimeout('fired.push("text")', 1) } catch (e) { return [fired.length, e.name] }`;
    assert.deepEqual(await value(code), [6, 'TypeError']);
  });
  scenario('an error in a timer fails the run', async ({ run }) => {
    const error = guestErrorOf(
      await run('setTimeout(() => {\n throw new TypeError("in the timer") }, 1); await sleep(1e6)'),
    );
    assert.equal(error.message, 'in the timer');
    assert.equal(error.line, 2);
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
}
