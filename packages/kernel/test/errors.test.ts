import assert from 'node:assert/strict';
import { test } from 'vitest';
import { isKernelError, KernelError } from '../src/index.ts';

test('a kernel error carries code, cause and whether a retry may help', () => {
  const cause = new Error('underneath');
  const error = new KernelError('E_BLOB_UNAVAILABLE', 'The disk is full', { cause, retryable: true, retryAfterMs: 5 });
  assert.deepEqual(
    [error.name, error.code, error.message, error.cause, error.retryable, error.retryAfterMs],
    ['KernelError', 'E_BLOB_UNAVAILABLE', 'The disk is full', cause, true, 5],
  );
});

test('without options nothing may be retried and there is no cause at all', () => {
  const error = new KernelError('E_CANCELLED', 'over');
  assert.equal(error.retryable, false);
  assert.equal(error.retryAfterMs, undefined);
  assert.equal('cause' in error, false);
});

test('an error is recognised by its name, so that two copies of the kernel work together', () => {
  class KernelErrorOfAnotherCopy extends Error {
    override readonly name = 'KernelError';
    readonly code = 'E_CANCELLED';
  }
  assert.equal(isKernelError(new KernelErrorOfAnotherCopy()), true);
  assert.equal(isKernelError(new KernelErrorOfAnotherCopy(), 'E_CANCELLED'), true);
  assert.equal(isKernelError(new KernelErrorOfAnotherCopy(), 'E_INTERNAL'), false);
});

test('an object that only looks like a kernel error is not one', () => {
  const lookAlike = { name: 'KernelError', code: 'E_CANCELLED', message: '' };
  for (const value of [undefined, null, 'KernelError', lookAlike, new Error('E_CANCELLED'), new TypeError('x')]) {
    assert.equal(isKernelError(value), false);
  }
});
