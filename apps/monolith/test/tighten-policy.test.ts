import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from 'vitest';
import { startServer } from './support/server.ts';
import type { TestServer } from './support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ policy: { maxScriptCalls: 3, defaultRisk: 'safe' } });
});
afterAll(() => server[Symbol.asyncDispose]());

const call =
  'const results = []; for (let n = 0; n < 5; n++) results.push((await tools.echo.safe({})).status); return results';

test('a request may tighten the policy of the server', async () => {
  assert.deepEqual((await server.chain(call)).body.value, ['ok', 'ok', 'ok', 'error', 'error']);
  assert.deepEqual((await server.chain(call, { maxScriptCalls: 1 })).body.value, ['ok', ...Array(4).fill('error')]);
  const raised = await server.chain(call, { defaultRisk: 'high' });
  assert.deepEqual(raised.body.value.slice(0, 3), Array(3).fill('denied'));
});

test('a request may tighten the script limit alone', async () => {
  const { status, body } = await server.chain('return 1', { totalTimeoutMs: 5_000 });
  assert.deepEqual([status, body.value], [200, 1]);
});

test('a request that would loosen the policy is refused with field and values', async () => {
  const refused: readonly (readonly [object, RegExp])[] = [
    [{ maxScriptCalls: 4 }, /policy\.maxScriptCalls 4 is looser than the server's 3/],
    [{ memoryLimitBytes: 1e12 }, /policy\.memoryLimitBytes/],
    [{ maxRiskUnapproved: 'high' }, /policy\.maxRiskUnapproved/],
    [{ totalTimeoutMs: 300_001 }, /policy\.totalTimeoutMs/],
  ];
  for (const [policy, message] of refused) {
    const { status, body } = await server.chain('return 1', policy);
    assert.equal(status, 400);
    assert.match(body.error.message, message);
  }
});

test('an invalid policy is refused with a reason', async () => {
  const refused: readonly (readonly [object, RegExp])[] = [
    [{ maxToolCals: 1 }, /policy\.maxToolCals does not exist/],
    [{ maxScriptCalls: -1 }, /policy\.maxScriptCalls must be a positive whole number/],
    [{ maxScriptCalls: null }, /policy\.maxScriptCalls/],
    [
      { totalTimeoutMs: 100, callTimeoutMs: 200 },
      /policy\.callTimeoutMs \(200\) must not exceed policy\.totalTimeoutMs \(100\)/,
    ],
    [{ maxRiskUnapproved: 'critical' }, /must be "safe" or "high"/],
    [{ __proto__: null, toString: 1 }, /policy\.toString does not exist/],
  ];
  for (const [policy, message] of refused) {
    const { status, body } = await server.chain('return 1', policy);
    assert.equal(status, 400);
    assert.equal(body.error.code, 'E_REQUEST_INVALID');
    assert.match(body.error.message, message);
  }
});
