import assert from 'node:assert/strict';
import { createTestShop } from '@ravi/testkit';
import { model } from './model.ts';

const { tools, refunds } = createTestShop();

// #region agent
import { Mastra } from '@mastra/core';
import { Agent } from '@mastra/core/agent';
import { InMemoryStore } from '@mastra/core/storage';
import { createGateway } from '@ravi/gateway-kit';
import { createMastraTools, findSuspension } from '@ravi/mastra';
import { createIsolatedVmSandbox } from '@ravi/sandbox-isolated-vm';

await using sandbox = createIsolatedVmSandbox();
await using gateway = createGateway({ tools, sandbox });
const ravi = createMastraTools(gateway);
const clerk = new Agent({ id: 'clerk', name: 'clerk', instructions: 'You help', model, tools: ravi.tools });
new Mastra({ agents: { clerk }, storage: new InMemoryStore() });

let result = await clerk.generate('Refund everything', { runId: 'run-1' });
while (result.finishReason === 'suspended') {
  const { suspendPayload } = result;
  for (const { tool, args } of findSuspension(suspendPayload)?.requests ?? []) console.log('approve', tool, args);
  result = await clerk.resumeGenerate(ravi.answer(suspendPayload, 'approve'), { runId: 'run-1' });
}
console.log(result.text);
// #endregion

assert.deepEqual(refunds, [1, 2]);
assert.equal(result.text, 'All orders are refunded.');
