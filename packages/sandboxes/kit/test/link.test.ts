import assert from 'node:assert/strict';
import { isKernelError } from '@ravi/kernel';
import { test } from 'vitest';
import { nodeLauncher } from '../src/host/link.ts';
import { createGuestPool } from '../src/host/pool.ts';

test('a process that cannot start leaves its error as the cause, only for logs', async () => {
  const launch = nodeLauncher({ source: "() => { throw new TypeError('no such helper'); }", nodeFlags: [] });
  const pool = createGuestPool(launch, { poolSize: 0, maxProcesses: 1, maxParked: 0, maxRunsPerProcess: 1 });
  await assert.rejects(pool.acquire('ada', undefined), (error) => {
    assert.ok(isKernelError(error, 'E_SANDBOX_UNAVAILABLE'));
    assert.equal(error.message, 'The guest process ended with exit code 1');
    assert.equal(error.cause, 'TypeError: no such helper');
    return true;
  });
  await pool.close();
});
