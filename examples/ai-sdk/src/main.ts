import assert from 'node:assert/strict';
import { createModel } from './model.ts';
import { listOrders, refundOrder, refunds } from './shop.ts';

const model = createModel();

// #region use
import { raviTools } from '@ravi/ai-sdk';
import { createGateway } from '@ravi/gateway-kit';
import { createIsolatedVmSandbox } from '@ravi/sandbox-isolated-vm';
import { generateText, isStepCount } from 'ai';
import type { ModelMessage } from 'ai';

await using sandbox = createIsolatedVmSandbox();
await using gateway = createGateway({ tools: [listOrders, refundOrder], sandbox });
const { tools, toolApproval } = raviTools(gateway, { runId: 'chat-1' });

const messages: ModelMessage[] = [{ role: 'user', content: 'Refund all late orders' }];
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
  const approval = { type: 'tool-approval-response', approvalId: request.approvalId, approved: true } as const;
  messages.push({ role: 'tool', content: [approval] });
}
// #endregion

assert.deepEqual(Object.fromEntries(refunds), { A1: 500, A3: 250 });
assert.deepEqual(
  gateway.trace({ runId: 'chat-1' }).map(({ tool, status }) => [tool, status]),
  [['tool_chain', 'ok']],
);
