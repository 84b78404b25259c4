import assert from 'node:assert/strict';
import { test } from 'vitest';
import { defaultChainPolicy, defineChainPolicy, isKernelError } from '../src/index.ts';

function refusalOf(policy: object): string {
  try {
    defineChainPolicy(policy);
    return 'none';
  } catch (error) {
    assert.ok(isKernelError(error, 'E_CONFIG_INVALID'), String(error));
    return error.message;
  }
}

test('the defaults are the published ones, frozen, and fit together', () => {
  const { maxToolCalls, maxScriptCalls, callTimeoutMs, approvalTimeoutMs, totalTimeoutMs } = defineChainPolicy();
  assert.deepEqual([maxToolCalls, maxScriptCalls], [50, 50]);
  assert.deepEqual([callTimeoutMs, approvalTimeoutMs, totalTimeoutMs], [60_000, 600_000, 300_000]);
  const { maxInlineResultBytes, maxScriptResultBytes, maxPreviewBytes, maxInFlight, maxRiskUnapproved } =
    defaultChainPolicy;
  assert.deepEqual(
    [maxInlineResultBytes, maxScriptResultBytes, maxPreviewBytes, maxInFlight, maxRiskUnapproved],
    [4_096, 1_048_576, 1_024, 32, 'safe'],
  );
  assert.ok(Object.isFrozen(defaultChainPolicy));
  assert.ok(Object.isFrozen(defineChainPolicy({ maxToolCalls: 1 })));
});

test('given fields replace those of the base, and undefined ones do not', () => {
  const base = defineChainPolicy({ maxToolCalls: 7, maxInFlight: 2 });
  const policy = defineChainPolicy({ maxInFlight: 3, maxToolCalls: undefined } as object, base);
  assert.deepEqual([policy.maxToolCalls, policy.maxInFlight], [7, 3]);
  assert.equal(base.maxInFlight, 2);
});

test('an unknown field is refused, names that every object has included', () => {
  assert.equal(refusalOf({ maxCalls: 1 }), 'policy.maxCalls does not exist');
  assert.equal(refusalOf({ toString: 1 }), 'policy.toString does not exist');
  assert.match(refusalOf(JSON.parse('{"__proto__":1}') as object), /__proto__ does not exist/);
});

test('every number must be a positive whole one', () => {
  for (const value of [0, -1, 1.5, Number.NaN, Infinity, '5', null, true]) {
    assert.equal(
      refusalOf({ maxToolCalls: value }),
      `policy.maxToolCalls must be a positive whole number, got ${String(value)}`,
    );
  }
});

test('risks must be those that exist', () => {
  assert.match(refusalOf({ maxRiskUnapproved: 'critical' }), /must be "safe" or "high"/);
  assert.match(refusalOf({ defaultRisk: 'low' }), /must be "safe", "high" or "critical"/);
});

test('a script limit lowers the call limit that was not given with it', () => {
  assert.equal(defineChainPolicy({ totalTimeoutMs: 5_000 }).callTimeoutMs, 5_000);
  assert.equal(defineChainPolicy({ totalTimeoutMs: 90_000 }).callTimeoutMs, 60_000);
  const base = defineChainPolicy({ callTimeoutMs: 200, totalTimeoutMs: 400 });
  assert.equal(defineChainPolicy({ totalTimeoutMs: 300 }, base).callTimeoutMs, 200);
  assert.equal(
    refusalOf({ totalTimeoutMs: 300, callTimeoutMs: 400 }),
    'policy.callTimeoutMs (400) must not exceed policy.totalTimeoutMs (300)',
  );
});

test('an approver may have longer than the call that waits', () => {
  assert.equal(defineChainPolicy({ approvalTimeoutMs: 3_600_000 }).callTimeoutMs, 60_000);
  assert.equal(defineChainPolicy({ callTimeoutMs: 500 }).approvalTimeoutMs, 600_000);
});

test('a call limit above the script limit is refused, and the message names both values', () => {
  assert.equal(
    refusalOf({ callTimeoutMs: 300_001 }),
    'policy.callTimeoutMs (300001) must not exceed policy.totalTimeoutMs (300000)',
  );
  assert.equal(refusalOf({ callTimeoutMs: 300_000 }), 'none');
});

test('a time that no timer can hold is refused, since such a timer would fire at once', () => {
  const tooLong = 2 ** 31;
  assert.match(refusalOf({ totalTimeoutMs: tooLong }), /policy\.totalTimeoutMs must be at most 2147483647/);
  assert.equal(refusalOf({ totalTimeoutMs: tooLong - 1, maxResultBytes: tooLong }), 'none');
});
