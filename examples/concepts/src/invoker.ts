import assert from 'node:assert/strict';
import { ToolInvoker, Toolbox } from '@ravi/invoker';

import { listOrders, refundOrder } from './tools.ts';

/** One call, its result and its record in the trace; and what a refused call looks like. */
export async function invokerExample(): Promise<void> {
  // #region call
  const invoker = new ToolInvoker({ registry: new Toolbox([listOrders, refundOrder]) });
  await using session = invoker.openSession({ policy: { maxToolCalls: 10 } });

  const call = { name: 'list_orders', args: { customer: 'customer-7' } };
  const result = await invoker.invoke(call, { session });
  if (result.status === 'ok') console.log(result.structured);
  // #endregion

  // #region refused
  const misspelt = await invoker.invoke({ name: 'list_order', args: {} }, { session });
  console.log(misspelt.error?.code, misspelt.text);

  const unapproved = await invoker.invoke({ name: 'refund_order', args: { id: 1, cents: 100 } }, { session });
  console.log(unapproved.status, unapproved.error?.code);

  for (const { tool, status, argsDigest } of session.trace) console.log(tool, status, argsDigest);
  // #endregion

  assert.equal(result.status, 'ok');
  assert.equal((result.structured as unknown[]).length, 25);
  assert.equal(misspelt.error?.code, 'E_TOOL_UNKNOWN');
  assert.match(misspelt.text, /list_orders/);
  assert.equal(unapproved.status, 'denied');
  assert.equal(unapproved.error?.code, 'E_APPROVAL_NO_HANDLER');
  assert.deepEqual(
    session.trace.map(({ status }) => status),
    ['ok', 'error', 'denied'],
  );
}
