import assert from 'node:assert/strict';
import { ToolInvoker, Toolbox } from '@ravi/invoker';
import { createAutoApproval } from '@ravi/approval-auto';
import { createMemoryBlobStore } from '@ravi/blob-memory';
import { runChain } from '@ravi/capabilities';
import { createIsolatedVmSandbox } from '@ravi/sandbox-isolated-vm';

import { listOrders, refundOrder } from './tools.ts';

/** Runs a script that reads, decides and acts, and shows the reports of scripts that are wrong or fail half-way. */
export async function chainsExample(): Promise<void> {
  const invoker = new ToolInvoker({
    registry: new Toolbox([listOrders, refundOrder]),
    approvalHandler: createAutoApproval({ rules: [{ tool: 'refund_order', risk: 'high', decision: 'approved' }] }),
    artifactStore: createMemoryBlobStore(),
  });
  await using sandbox = createIsolatedVmSandbox();

  // #region run
  const code = `
    const orders = await tools.list_orders({ customer: 'customer-7' });
    const smallest = orders.sort((a, b) => a.cents - b.cents).slice(0, 3);
    const refunds = await Promise.all(smallest.map(({ id }) => tools.refund_order({ id, cents: 100 })));
    return { of: orders.length, refunded: refunds.map((refund) => refund.id) };
  `;
  const result = await runChain({ code, invoker, sandbox, policy: { maxScriptCalls: 10 } });
  console.log(result.outputText);
  for (const { tool, status, durationMs } of result.callTrace) console.log(tool, status, Math.round(durationMs));
  // #endregion

  // #region mistaken
  const mistaken = `
    const [order] = await tools.list_orders({ customer: 'customer-7' });
    await tools.refund_order({ id: order.id, amount: 100 });
    return order.cent;
  `;
  const stopped = await runChain({ code: mistaken, invoker, sandbox });
  console.log(stopped.outputText);
  // #endregion

  // #region failing
  const failing = `
    await tools.refund_order({ id: 1, cents: 100 });
    const [order] = await tools.list_orders({ customer: 'customer-99' });
    await tools.refund_order({ id: order.id, cents: 100 });
  `;
  const failed = await runChain({ code: failing, invoker, sandbox });
  console.log(failed.outputText);
  // #endregion

  assert.equal(result.status, 'ok');
  assert.deepEqual(
    result.callTrace.map(({ tool, status }) => `${tool} ${status}`),
    ['list_orders ok', 'refund_order ok', 'refund_order ok', 'refund_order ok'],
  );
  assert.equal(failed.status, 'error');
  assert.equal(failed.error?.line, 4);
  assert.match(failed.outputText, /1\. refund_order\(\{"id":1,"cents":100\}\) → ok/);
  assert.equal(stopped.error?.line, 3);
  assert.equal(stopped.toolCalls, 0);
}
