import assert from 'node:assert/strict';
import { ToolInvoker, Toolbox } from '@ravi/invoker';
import { createAutoApproval } from '@ravi/approval-auto';
import type { ApprovalHandler } from '@ravi/kernel';

import { refundOrder } from './tools.ts';

/** A rule that approves small refunds, and a handler of one's own that corrects what it is asked. */
export async function approvalExample(): Promise<void> {
  // #region rules
  const rules = createAutoApproval({
    rules: [
      { tool: 'refund_*', risk: 'high', decision: 'approved' },
      { risk: 'critical', decision: 'denied', reason: 'Refunds of 50 € and more go through the office.' },
    ],
  });
  const invoker = new ToolInvoker({ registry: new Toolbox([refundOrder]), approvalHandler: rules });
  await using session = invoker.openSession();

  const small = await invoker.invoke({ name: 'refund_order', args: { id: 1, cents: 900 } }, { session });
  const large = await invoker.invoke({ name: 'refund_order', args: { id: 1, cents: 9_000 } }, { session });
  console.log(small.status, large.status, large.text);
  // #endregion

  // #region own-handler
  const atMostTenEuros: ApprovalHandler = {
    request: async ({ args }) => ({
      decision: 'modified',
      modifiedArgs: { ...args, cents: Math.min(Number(args['cents']), 1_000) },
      approver: 'house-rule',
    }),
  };
  // #endregion

  const corrected = new ToolInvoker({ registry: new Toolbox([refundOrder]), approvalHandler: atMostTenEuros });
  await using other = corrected.openSession();
  const cut = await corrected.invoke({ name: 'refund_order', args: { id: 2, cents: 4_000 } }, { session: other });

  assert.equal(small.status, 'ok');
  assert.equal(large.status, 'denied');
  assert.match(large.text, /through the office/);
  assert.deepEqual(cut.structured, { id: 2, refunded: 1_000 });
}
