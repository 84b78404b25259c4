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
import { createVmSandbox } from '@ravi/sandbox-vm';

await using gateway = createGateway({ tools, sandbox: createVmSandbox({ unsafe: true }) });
const ravi = createMastraTools(gateway);
const clerk = new Agent({ id: 'clerk', name: 'clerk', instructions: 'You help', model, tools: ravi.tools });
new Mastra({ agents: { clerk }, storage: new InMemoryStore() });

let { text, finishReason, suspendPayload, runId } = await clerk.generate('Refund everything');
while (finishReason === 'suspended') {
  for (const { tool, args } of findSuspension(suspendPayload)?.requests ?? []) console.log('approve', tool, args);
  const options = runId === undefined ? {} : { runId };
  ({ text, finishReason, suspendPayload } = await clerk.resumeGenerate(
    ravi.answer(suspendPayload, 'approve'),
    options,
  ));
}
console.log(text);
// #endregion

assert.deepEqual(refunds, [1, 2]);
assert.equal(text, 'All orders are refunded.');
