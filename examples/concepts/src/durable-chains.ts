import assert from 'node:assert/strict';
import { createStoredApprovals } from '@ravi/approval-kit';
import { Toolbox, ToolInvoker } from '@ravi/invoker';
import { createDurableChains } from '@ravi/capabilities';
import type { DurableChains } from '@ravi/capabilities';
import type { Sandbox, CompleteStateStore } from '@ravi/kernel';
import { createIsolatedVmSandbox } from '@ravi/sandbox-isolated-vm';
import { createSqliteStateStore } from '@ravi/state-sqlite';

import { listOrders, refundOrder } from './tools.ts';

/** Runs a script that needs approval and resumes in another process. */
export async function durableChainsExample(): Promise<void> {
  await using store = await createSqliteStateStore({ file: ':memory:' });
  await using sandbox = createIsolatedVmSandbox();

  // #region start
  const code = `
    const [order] = await tools.list_orders({ customer: 'customer-7' });
    const refund = await tools.refund_order({ id: order.id, cents: 100 });
    return refund.id;
  `;
  const first = openChains(store, sandbox);
  const paused = await first.start({ code, approvals: 'pause' });
  console.log(paused.status); // paused: the process may end now
  await first[Symbol.asyncDispose]();
  // #endregion

  // #region answer
  const { items } = await store.approvals.list({ status: 'pending' });
  for (const { request } of items) {
    await store.approvals.decide(request.id, { decision: 'approved', approver: 'ada', decidedAt: Date.now() });
  }
  // #endregion

  // #region resume
  await using second = openChains(store, sandbox);
  const result = await second.resume(paused.runId);
  console.log(result.outputText);
  // #endregion

  assert.equal(paused.status, 'paused');
  assert.equal(result.status, 'ok');
  assert.deepEqual(
    result.callTrace.map(({ tool, status, approval }) => [tool, status, approval?.approver]),
    [
      ['list_orders', 'ok', undefined],
      ['refund_order', 'ok', 'ada'],
    ],
  );
}

// #region open
function openChains(store: CompleteStateStore, sandbox: Sandbox): DurableChains {
  const invoker = new ToolInvoker({
    registry: new Toolbox([listOrders, refundOrder]),
    approvalHandler: createStoredApprovals({ store: store.approvals }),
    // Kept by the installation: with another key no digest on record can be compared.
    digestKey: new Uint8Array(32).fill(7),
  });
  return createDurableChains({ store, invoker, sandbox });
}
// #endregion
