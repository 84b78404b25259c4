import assert from 'node:assert/strict';
import { ToolInvoker, Toolbox } from '@ravi/invoker';
import { createMemoryBlobStore } from '@ravi/blob-memory';
import { defineTool } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';

import { listOrders } from './tools.ts';

/** A large result becomes a reference, and the reference goes into the next call. */
export async function artifactsExample(): Promise<void> {
  const store = createMemoryBlobStore();
  // #region pass-on
  const invoker = new ToolInvoker({ registry: new Toolbox([listOrders, sumOrders]), artifactStore: store });
  await using session = invoker.openSession();

  const all = await invoker.invoke({ name: 'list_orders', args: {} }, { session });
  console.log(all.text.length, all.artifactRef);

  const args = { orders: { $artifact: all.artifactRef ?? '' } };
  const sum = await invoker.invoke({ name: 'sum_orders', args }, { session });
  console.log(sum.structured);
  // #endregion

  assert.equal(all.status, 'ok');
  assert.ok(all.artifactRef !== undefined && all.text.length < 4_096);
  assert.equal(sum.status, 'ok');
  assert.equal((sum.structured as { count: number }).count, 500);
  assert.equal(session.pinnedRefs.length, 1);

  await session.close();
  assert.equal((await store.stat(all.artifactRef))?.pins, 0);
}

// #region consumer
const sumOrders: Tool = defineTool({
  name: 'sum_orders',
  description: 'Adds orders up.',
  inputSchema: {
    type: 'object',
    properties: { orders: { type: 'array', items: { type: 'object' } } },
    required: ['orders'],
    additionalProperties: false,
  },
  execute: ({ orders }) => {
    const list = orders as { cents: number }[];
    return { count: list.length, cents: list.reduce((total, order) => total + order.cents, 0) };
  },
});
// #endregion
