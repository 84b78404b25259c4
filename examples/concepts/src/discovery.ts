import assert from 'node:assert/strict';
import { ToolInvoker, Toolbox } from '@ravi/invoker';
import { createDiscoveryTools, createToolChainTool, runChain } from '@ravi/capabilities';
import { defineTool } from '@ravi/kernel';
import { createIsolatedVmSandbox } from '@ravi/sandbox-isolated-vm';

import { listOrders, refundOrder } from './tools.ts';

/** Finds one of a thousand tools, too many to send to a model. */
export async function discoveryExample(): Promise<void> {
  const archive = Array.from({ length: 1_000 }, (_, index) =>
    defineTool({
      name: `archive.get_volume_${index}`,
      description: `Reads volume ${index} of the archive.`,
      inputSchema: { type: 'object', properties: { page: { type: 'integer' } } },
      execute: () => 'dust',
    }),
  );
  await using sandbox = createIsolatedVmSandbox();

  // #region offer
  const toolbox = new Toolbox([listOrders, refundOrder, ...archive]);
  const invoker = new ToolInvoker({ registry: toolbox });
  for (const tool of createDiscoveryTools(toolbox)) toolbox.add(tool);
  toolbox.add(createToolChainTool({ invoker, sandbox, maxToolTokens: 2_000 }));
  // #endregion

  // #region script
  const code = `
    const { showing, tools: [best] } = await tools.search('give a customer money back', { limit: 3 });
    return [showing, best, await tools.describe(best.name)];
  `;
  const result = await runChain({ code, invoker, sandbox });
  console.log(result.outputText);
  // #endregion

  // #region model
  await using session = invoker.openSession({ allowedTools: ['search_tools', 'describe_tool', 'list_orders'] });
  const found = await invoker.invoke({ name: 'search_tools', args: { query: 'orders of a customer' } }, { session });
  console.log(found.text);
  // #endregion

  assert.match(toolbox.get('tool_chain')?.description ?? '', /1002 tools, counted by the start of their names/);
  assert.match(toolbox.get('tool_chain')?.description ?? '', /archive\.\* 1000, list_orders, refund_order/);
  assert.equal(result.toolCalls, 0);
  assert.match(result.outputText, /"name":"refund_order","parameters":"id, cents"/);
  assert.match(result.outputText, /refund_order: ToolFunction</);
  assert.equal(found.text.split('\n').length, 2);
  assert.match(found.text, /^Tools 1 of 1\n- list_orders\(customer\?\)/);
}
