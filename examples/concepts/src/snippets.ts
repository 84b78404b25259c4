import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ToolInvoker, Toolbox } from '@ravi/invoker';
import { createAutoApproval } from '@ravi/approval-auto';
import { createFolderSnippetStore, createSnippetToolSource, runChain, saveSnippet } from '@ravi/capabilities';
import { createIsolatedVmSandbox } from '@ravi/sandbox-isolated-vm';

import { listOrders, refundOrder } from './tools.ts';

/** Saves a script that succeeded as a tool. Its calls are checked again whenever it runs. */
export async function snippetsExample(): Promise<void> {
  const registry = new Toolbox([listOrders, refundOrder]);
  let isOpen = true;
  const rules = createAutoApproval({ rules: [{ tool: 'refund_order', risk: 'high', decision: 'approved' }] });
  const invoker = new ToolInvoker({
    registry,
    approvalHandler: {
      request: async (request, options) =>
        isOpen ? rules.request(request, options) : { decision: 'denied', reason: 'The till is closed' },
    },
  });
  const folder = await mkdtemp(join(tmpdir(), 'ravi-snippets-'));
  await using sandbox = createIsolatedVmSandbox();
  try {
    // #region save
    const code = `
      const [first] = await tools.list_orders({ customer: input.customer });
      return tools.refund_order({ id: first.id, cents: input.cents });
    `;
    const input = { customer: 'customer-7', cents: 100 };
    const run = await runChain({ code, input, invoker, sandbox, session: { runId: 'run-1' } });

    const store = createFolderSnippetStore(folder);
    const snippet = await saveSnippet({
      store,
      registry,
      name: 'refund_first_order',
      description: 'Gives a customer money back for their first order.',
      code,
      inputSchema: {
        type: 'object',
        properties: { customer: { type: 'string' }, cents: { type: 'integer', minimum: 1 } },
        required: ['customer', 'cents'],
      },
      run,
      runId: 'run-1',
    });
    console.log(snippet.name, snippet.version, snippet.tools.map((tool) => tool.name).join(', '));
    // #endregion

    // #region offer
    const source = createSnippetToolSource({ store, invoker, sandbox });
    await using opened = await source.open({ signal: AbortSignal.timeout(5_000), onChange() {} });
    const { tools, failures } = opened.content();
    for (const tool of tools) registry.add(tool, { source: source.name });
    for (const { from, message } of failures) console.error(`${from}: ${message}`);
    // #endregion

    await using session = invoker.openSession();
    const call = { name: 'refund_first_order', args: { customer: 'customer-3', cents: 50 } };
    const paid = await invoker.invoke(call, { session });
    console.log(paid.text);
    isOpen = false;
    const refused = await invoker.invoke(call, { session });
    console.log(refused.text);

    assert.deepEqual([snippet.version, snippet.tools.map((tool) => tool.name)], [1, ['list_orders', 'refund_order']]);
    assert.equal(failures.length, 0);
    assert.equal(paid.text, '{"id":4,"refunded":50}');
    assert.equal(refused.error?.code, 'E_APPROVAL_DENIED');
  } finally {
    await rm(folder, { recursive: true });
  }
}
