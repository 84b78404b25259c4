import assert from 'node:assert/strict';
import { test } from 'vitest';
import { retryDelayMs } from '../src/index.ts';

const policy = { maxRetries: 4, maxDelayMs: 30_000 };
const busy = { code: 'E_MODEL_OVERLOADED', retryable: true };
const most = (): number => 1;

test('waits are random between zero and a bound that doubles up to the longest wait', () => {
  assert.deepEqual(
    [1, 2, 3, 4].map((attempts) => retryDelayMs(busy, attempts, policy, most)),
    [1000, 2000, 4000, 8000],
  );
  assert.deepEqual(
    [1, 2, 3, 4].map((attempts) => retryDelayMs(busy, attempts, policy, () => 0)),
    [0, 0, 0, 0],
  );
  assert.equal(retryDelayMs(busy, 9, { maxRetries: 9, maxDelayMs: 30_000 }, most), 30_000);
});

test('there is no retry after a final error, after the last attempt, or for a hint that is too long', () => {
  assert.equal(retryDelayMs({ ...busy, retryable: false }, 1, policy), undefined);
  assert.equal(retryDelayMs(busy, 5, policy), undefined);
  assert.equal(retryDelayMs({ ...busy, retryAfterMs: 30_001 }, 1, policy), undefined);
});

test('a hint is never undercut, and a hint of zero does not replace the wait', () => {
  assert.equal(
    retryDelayMs({ ...busy, retryAfterMs: 5000 }, 1, policy, () => 0),
    5000,
  );
  assert.equal(retryDelayMs({ ...busy, retryAfterMs: 5000 }, 1, policy, most), 5500);
  assert.equal(retryDelayMs({ ...busy, retryAfterMs: 30_000 }, 1, policy, most), 30_000);
  assert.equal(retryDelayMs({ ...busy, retryAfterMs: 0 }, 1, policy, most), 1000);
});

test('an address that cannot be reached is given up within a second', () => {
  const refused = { code: 'E_MODEL_UNREACHABLE', retryable: true };
  const waits = [1, 2, 3].map((attempts) => retryDelayMs(refused, attempts, policy, most));
  assert.deepEqual(waits, [250, 500, undefined]);
});
