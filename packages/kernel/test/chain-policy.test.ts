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
  const { maxToolCalls, callTimeoutMs, approvalTimeoutMs, totalTimeoutMs } = defineChainPolicy();
  assert.deepEqual([maxToolCalls, callTimeoutMs, approvalTimeoutMs, totalTimeoutMs], [50, 60_000, 55_000, 300_000]);
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

test('approval below call below total, and the message names both values', () => {
  assert.equal(
    refusalOf({ approvalTimeoutMs: 60_000 }),
    'policy.approvalTimeoutMs (60000) must be below policy.callTimeoutMs (60000)',
  );
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
