import assert from 'node:assert/strict';
import { isKernelError, memoryLimits } from '@ravi/kernel';
import type { NewMemory } from '@ravi/kernel';
import { test } from 'vitest';
import { createSqliteStateStore } from '../src/index.ts';

const memoryOf = (index: number, principal = 'ada'): NewMemory => ({
  id: `memory-${index}`,
  principal,
  text: `Order ${index} of the customer ${index % 97} was shipped to the warehouse${index === 7_777 ? ' by zeppelin' : ''}`,
  createdAt: index,
});

test('a principal has as many memories as the limit says, and one among them is found', async () => {
  await using store = await createSqliteStateStore({ file: ':memory:' });
  const { memories } = store;
  const { perPrincipal } = memoryLimits;
  await Promise.all(Array.from({ length: perPrincipal }, (_, index) => memories.add(memoryOf(index))));
  assert.equal(await memories.count('ada'), perPrincipal);
  const [best, ...others] = await memories.search('ada', 'the zeppelin to the warehouse', { limit: 5 });
  assert.equal(best?.id, 'memory-7777');
  assert.equal(others.length, 4);
  assert.deepEqual(
    (await memories.search('ada', 'order 4321')).slice(0, 1).map(({ id }) => id),
    ['memory-4321'],
  );
  assert.deepEqual(await memories.search('grace', 'order'), []);

  await assert.rejects(memories.add(memoryOf(perPrincipal)), (error) => isKernelError(error, 'E_BUDGET_EXHAUSTED'));
  assert.equal((await memories.add(memoryOf(1))).id, 'memory-1', 'one that is stored is not a new one');
  await memories.add(memoryOf(0, 'grace'));
  await memories.delete('ada', 'memory-0');
  await memories.add(memoryOf(perPrincipal));
  assert.equal(await memories.clear('ada'), perPrincipal);
  assert.equal((await memories.search('grace', 'warehouse')).length, 1);
});
