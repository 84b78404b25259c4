import assert from 'node:assert/strict';
import { raviTools } from '@ravi/ai-sdk';
import { createGateway } from '@ravi/gateway-kit';
import { createIsolatedVmSandbox } from '@ravi/sandbox-isolated-vm';
import { generateText, isStepCount } from 'ai';
import type { ModelMessage } from 'ai';

import { createModel } from './model.ts';
import { listOrders, refundOrder, refunds } from './shop.ts';

await using sandbox = createIsolatedVmSandbox();
const model = createModel();
const messages: ModelMessage[] = [{ role: 'user', content: 'Refund all late orders' }];
const reasons: (string | undefined)[] = [];

// #region use
await using gateway = createGateway({ tools: [listOrders, refundOrder], sandbox });
const { tools, toolApproval } = raviTools(gateway, { runId: 'chat-1' });

for (;;) {
  const { content, responseMessages, text } = await generateText({
    model,
    messages,
    tools,
    toolApproval,
    stopWhen: isStepCount(10),
  });
  messages.push(...responseMessages);
  const request = content.find((part) => part.type === 'tool-approval-request');
  if (request === undefined) {
    console.log(text);
    break;
  }
  console.log('Approve?', request.reason, '→ yes');
  reasons.push(request.reason);
  const approval = { type: 'tool-approval-response', approvalId: request.approvalId, approved: true } as const;
  messages.push({ role: 'tool', content: [approval] });
}
// #endregion

assert.deepEqual(reasons, [
  'refund_order (high): 500 cents for order A1',
  'refund_order (high): 250 cents for order A3',
]);
assert.deepEqual(Object.fromEntries(refunds), { A1: 500, A3: 250 });
assert.deepEqual(
  gateway.trace({ runId: 'chat-1' }).map(({ tool, status }) => [tool, status]),
  [['tool_chain', 'ok']],
);
