import assert from 'node:assert/strict';
import { guestErrorOf, limitScenario } from './sandbox-harness.ts';
import type { SandboxHarness } from './sandbox-harness.ts';

/** Cases about the size of one call. A breach is an error of that call, which the script can catch, and names the limit. */
export function callSizeCases(harness: SandboxHarness): void {
  const declared = limitScenario(harness);
  declared('call-input', 'a call that carries too much rejects, and never reaches the host', async ({ run, value }) => {
    const limits = { maxCallInputBytes: 1_000 };
    for (const payload of ['"x".repeat(1000)', '"ä".repeat(500)', '"🎉".repeat(250)']) {
      assert.equal(await value(`return (await call("x", ${payload})) === ${payload}`, { limits }), true, payload);
    }
    for (const payload of ['"x".repeat(1001)', '"ä".repeat(501)', '"x".repeat(5e7)']) {
      const { outcome, calls } = await run(
        `try { await call("x", ${payload}) } catch (e) { return [e.code, e.message] }`,
        { limits },
      );
      const [code, message] = outcome.status === 'ok' ? (JSON.parse(outcome.value ?? '[]') as string[]) : [];
      assert.equal(code, 'E_LIMIT_CALL_INPUT', JSON.stringify(outcome));
      assert.match(message ?? '', /\bmaxCallInputBytes: 1000\b/);
      assert.deepEqual(calls, []);
    }
    const uncaught = guestErrorOf(await run('await call("x", "x".repeat(1001))', { limits }));
    assert.equal(uncaught.code, 'E_LIMIT_CALL_INPUT');
    assert.equal(await value('return "well"'), 'well');
  });
  declared('call-output', 'an answer that is too large rejects its call alone', async ({ run, value }) => {
    const limits = { maxCallOutputBytes: 1_000 };
    const bridge = async ({ payload }: { payload: string }): Promise<string> => 'ä'.repeat(Number(payload));
    const code = `const size = async (n) => call("x", n).then((text) => text.length, (e) => [e.code, e.message]);
      return Promise.all([size("500"), size("501"), size("9000000"), size("1")])`;
    const refused = [
      'E_LIMIT_CALL_OUTPUT',
      'The result of the call is larger than its limit (maxCallOutputBytes: 1000)',
    ];
    assert.deepEqual(await value(code, { limits, bridge }), [500, refused, refused, 1]);
    const uncaught = guestErrorOf(await run('await call("x", "501")', { limits, bridge }));
    assert.equal(uncaught.code, 'E_LIMIT_CALL_OUTPUT');
    assert.equal(await value('return "well"'), 'well');
  });
}
