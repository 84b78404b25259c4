import assert from 'node:assert/strict';
import { isKernelError, requireStateStoreParts } from '@ravi/kernel';
import type { StateStore } from '@ravi/kernel';
import { stateStoreContract } from '@ravi/testkit/state-store';
import { test } from 'vitest';
import { createSqliteStateStore } from '../src/index.ts';

/** A store that keeps runs and nothing else, as the smallest adapter would. */
async function createRunsOnly(): Promise<StateStore> {
  const store = await createSqliteStateStore({ file: ':memory:' });
  return { runs: store.runs, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
}

stateStoreContract(test, createRunsOnly);

test('a program that needs more than runs gets an error that names the missing parts', async () => {
  await using store = await createRunsOnly();
  assert.throws(
    () => requireStateStoreParts(store, ['journal', 'approvals']),
    (error) => isKernelError(error, 'E_CONFIG_INVALID') && error.message.includes('lacks journal, approvals'),
  );
});
