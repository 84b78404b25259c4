import assert from 'node:assert/strict';
import { createTestShop } from '@ravi/testkit';
import { startModel } from './model.ts';

const { tools, refunds } = createTestShop();
await using local = await startModel();
const { cwd, env } = local;
let text = '';

// #region query
import { query } from '@anthropic-ai/claude-agent-sdk';
import { withRavi } from '@ravi/claude-agent-sdk';
import { createGateway } from '@ravi/gateway-kit';
import { createIsolatedVmSandbox } from '@ravi/sandbox-isolated-vm';

await using sandbox = createIsolatedVmSandbox();
await using gateway = createGateway({ tools, sandbox });
const options = withRavi(gateway, {
  cwd,
  env,
  tools: [],
  async canUseTool(tool, input) {
    console.log('approve', tool, input);
    return { behavior: 'allow' };
  },
});
for await (const message of query({ prompt: 'Refund everything', options })) {
  if (message.type === 'result' && message.subtype === 'success') text = message.result;
}
console.log(text);
// #endregion

assert.deepEqual(
  [...refunds].sort((left, right) => left - right),
  [1, 2],
);
assert.equal(text, 'All orders are refunded.');
