import assert from 'node:assert/strict';
import { keepProcess, ReActAgent } from '@ravi/agents';
import type { KeptProcess } from '@ravi/agents';
import { createStoredApprovals } from '@ravi/approval-kit';
import { Toolbox, ToolInvoker } from '@ravi/invoker';
import type { CompleteStateStore, ModelProvider } from '@ravi/kernel';
import { createSqliteStateStore } from '@ravi/state-sqlite';
import { createScriptedModel } from '@ravi/testkit';

import { listOrders, refundOrder } from './tools.ts';

/** Runs an agent whose call needs approval, and continues it in another process. */
export async function durableAgentsExample(): Promise<void> {
  await using store = await createSqliteStateStore({ file: ':memory:' });

  // Each process has its own model; the scripted responses of the second one begin where those of the first end.
  const firstModel = createScriptedModel([{ toolCalls: [{ name: 'refund_order', arguments: { id: 8, cents: 100 } }] }]);
  // #region start
  await using process = keepProcess({ store });
  const paused = await openAgent(store, process, firstModel).run('Refund 1 € of order 8.');
  console.log(paused.status, paused.reason); // paused approval: the process may end now
  // #endregion

  const { items } = await store.approvals.list({ status: 'pending' });
  for (const { request } of items) {
    await store.approvals.decide(request.id, { decision: 'approved', approver: 'ada', decidedAt: Date.now() });
  }

  const secondModel = createScriptedModel([{ text: 'Done.' }]);
  // #region recover
  const run = await store.runs.get(paused.runId);
  assert.ok(run !== undefined);
  const { journal, approvals } = store;
  await using nextProcess = keepProcess({ store });
  const { result } = openAgent(store, nextProcess, secondModel).recover(run, { journal, approvals });
  console.log((await result).text);
  // #endregion

  assert.deepEqual([paused.status, paused.reason], ['paused', 'approval']);
  const { status, text, trace } = await result;
  assert.deepEqual([status, text], ['completed', 'Done.']);
  assert.deepEqual(
    trace.map(({ tool, status: outcome, approval }) => [tool, outcome, approval?.approver]),
    [['refund_order', 'ok', 'ada']],
  );
}

// #region open
function openAgent(store: CompleteStateStore, process: KeptProcess, model: ModelProvider): ReActAgent {
  const { runs, history, jobs, journal, approvals } = store;
  const invoker = new ToolInvoker({
    registry: new Toolbox([listOrders, refundOrder]),
    journal,
    approvalHandler: createStoredApprovals({ store: approvals }),
    // Kept by the installation: with another key no digest on record can be compared.
    digestKey: new Uint8Array(32).fill(7),
  });
  return new ReActAgent({ name: 'clerk', model, invoker, runs, history, jobs, process, approvals: 'pause' });
}
// #endregion
