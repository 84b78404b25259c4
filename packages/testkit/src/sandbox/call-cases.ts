import assert from 'node:assert/strict';
import type { BridgeCall } from '@ravi/kernel';
import { createBarrier, assertLimit, limitScenario } from './sandbox-harness.ts';
import type { SandboxHarness } from './sandbox-harness.ts';

/** Payloads that would confuse a protocol which trusts its separators. */
const payloads: readonly string[] = [
  '',
  '\n',
  'a1:12:{}',
  'c1:11:a0:\ne1:',
  '\u0000\u0001\u007f',
  '4:four5:five',
  '"quoted" \\ back',
  'ä🎉\u2028\u2029',
  '{"__proto__":{"polluted":true}}',
  'x'.repeat(200_000),
  '🎉'.repeat(50_000),
];

/** Calls out of a guest. */
export function callCases(harness: SandboxHarness): void {
  const { scenario } = harness;
  scenario('a call carries operation and payload unchanged, and its answer too', async ({ run }) => {
    const { outcome, calls } = await run(
      `const seen = []; for (const payload of ${JSON.stringify(payloads)}) seen.push(await call('op ' + payload.slice(0, 4), payload) === payload); return seen`,
      { limits: { maxResultBytes: 4_194_304 } },
    );
    assert.deepEqual(
      calls.map((call) => call.payload),
      payloads,
    );
    assert.deepEqual(
      calls.map((call) => call.op),
      payloads.map((payload) => `op ${payload.slice(0, 4)}`),
    );
    assert.equal(outcome.status === 'ok' && outcome.value, JSON.stringify(payloads.map(() => true)));
  });
  scenario('half a surrogate pair becomes the replacement character and shifts nothing', async ({ value }) => {
    assert.deepEqual(await value('return [await call("x", "a\\ud800b"), await call("y", "next")]'), [
      'a\ufffdb',
      'next',
    ]);
  });
  scenario('operations named like members of Object.prototype are plain text', async ({ run }) => {
    const { calls } = await run('for (const op of ["__proto__", "constructor", "toString"]) await call(op, op)');
    assert.deepEqual(
      calls.map((call) => call.op),
      ['__proto__', 'constructor', 'toString'],
    );
    assert.equal(({} as { polluted?: unknown }).polluted, undefined);
  });
  scenario('a call without two strings is a TypeError in the script', async ({ run, value }) => {
    const code = 'try { await call("x", { a: 1 }) } catch (e) { return [e.name, e instanceof TypeError] }';
    assert.deepEqual(await value(code), ['TypeError', true]);
    assert.equal((await run('try { await call("x", { a: 1 }) } catch {}')).calls.length, 0);
  });
  scenario('Promise.all runs calls at the same time and keeps their order', async ({ value }) => {
    const barrier = createBarrier(10);
    const code = 'return Promise.all(Array.from({ length: 10 }, (_, i) => call("x", String(i))))';
    assert.deepEqual(await value(code, { bridge: barrier.bridge }), Array.from('0123456789'));
    assert.equal(barrier.highest, 10);
  });
  scenario('at the end of its stack a call of a script is made and answered, or neither', async ({ run }) => {
    const code = `
      const made = [];
      const dig = () => { made.push(call('x', String(made.length))); dig() };
      try { dig() } catch (error) { if (!(error instanceof RangeError)) throw error }
      const answers = await Promise.allSettled(made);
      return answers.flatMap(({ value }) => value ?? [])`;
    const { outcome, calls } = await run(code, { limits: { maxCalls: 100_000, maxInFlight: 100_000 } });
    assert.ok(calls.length > 100, `${calls.length} calls`);
    assert.deepEqual(
      outcome.status === 'ok' && JSON.parse(outcome.value ?? ''),
      calls.map(({ payload }) => payload),
    );
  });
  scenario('Promise.race gives the first answer, and the run does not wait for the others', async ({ value }) => {
    const bridge = ({ payload }: BridgeCall): Promise<string> =>
      payload === 'never' ? new Promise(() => {}) : Promise.resolve(payload);
    assert.equal(await value('return Promise.race([call("x", "never"), call("x", "first")])', { bridge }), 'first');
  });
  scenario('Promise.allSettled and Promise.any see each outcome', async ({ value }) => {
    const bridge = async ({ payload }: BridgeCall): Promise<string> => {
      if (payload === 'bad') throw new Error('refused');
      return payload;
    };
    const settled =
      'const r = await Promise.allSettled([call("x", "bad"), call("x", "good")]); return r.map((x) => x.value ?? x.reason.message)';
    assert.deepEqual(await value(settled, { bridge }), ['refused', 'good']);
    assert.equal(await value('return Promise.any([call("x", "bad"), call("x", "good")])', { bridge }), 'good');
  });
  scenario('answers that come in another order reach their own calls', async ({ value }) => {
    const held: (() => void)[] = [];
    const bridge = ({ payload }: BridgeCall): Promise<string> =>
      new Promise((resolve) => {
        held.unshift(() => resolve(`${payload}!`));
        if (held.length === 3) for (const release of held) release();
      });
    assert.deepEqual(await value('return Promise.all([call("x", "a"), call("x", "b"), call("x", "c")])', { bridge }), [
      'a!',
      'b!',
      'c!',
    ]);
  });
  scenario('sequential calls alternate with answers', async ({ value }) => {
    assert.equal(
      await value('let sum = 0; for (let i = 0; i < 200; i++) sum += Number(await call("x", String(i))); return sum'),
      19_900,
    );
  });
  scenario('a megabyte goes in and out', async ({ value }) => {
    const bridge = async (): Promise<string> =>
      JSON.stringify(Array.from({ length: 20_000 }, (_, id) => ({ id, text: `row ${id}` })));
    assert.equal(await value('return JSON.parse(await call("x", "y".repeat(1e6))).at(-1).id', { bridge }), 19_999);
  });
  scenario('unawaited calls are aborted when the script ends', async ({ run }) => {
    const { promise: aborted, resolve } = Promise.withResolvers<void>();
    const { outcome } = await run('call("x", ""); await call("second", ""); return 1', {
      bridge: ({ op }, { signal }) => {
        if (op === 'second') return Promise.resolve('');
        signal.addEventListener('abort', () => resolve(), { once: true });
        return new Promise(() => {});
      },
    });
    assert.equal(outcome.status, 'ok');
    await aborted;
  });
  scenario('answers and timers that come when a run is over do not disturb the next one', async ({ value }) => {
    const code =
      'setInterval(() => {}, 1); for (let i = 0; i < 8; i++) call("x", "answer"); await Promise.race([call("y", ""), sleep(1)]); return "own"';
    for (let runs = 0; runs < 100; runs++) assert.equal(await value(code), 'own');
  });
  const declared = limitScenario(harness);
  declared('in-flight', 'more calls than may be in flight wait, and all finish', async ({ value }) => {
    const barrier = createBarrier(4);
    const code = 'return (await Promise.all(Array.from({ length: 100 }, (_, i) => call("x", String(i))))).length';
    assert.equal(await value(code, { bridge: barrier.bridge, limits: { maxInFlight: 4 } }), 100);
    assert.equal(barrier.highest, 4);
  });
  declared('calls', 'the call after the last allowed one ends the run', async ({ run }) => {
    const result = await run('let n = 0; try { for (;;) { await call("x", ""); n++ } } catch { return n }', {
      limits: { maxCalls: 7 },
    });
    assertLimit(result, 'calls', 7);
    assert.equal(result.calls.length, 7);
  });
  declared('calls', 'a flood of calls reaches the bridge no further than its limits', async ({ run }) => {
    const { promise: never } = Promise.withResolvers<string>();
    const result = await run('for (let i = 0; i < 1e5; i++) call("x", ""); await sleep(1e6)', {
      limits: { maxCalls: 50, maxInFlight: 8 },
      bridge: () => never,
    });
    assertLimit(result, 'calls', 50);
    assert.ok(result.calls.length <= 50);
  });
}
