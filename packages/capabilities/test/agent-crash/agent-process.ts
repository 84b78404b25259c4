import { writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { keepProcess, ReActAgent } from '@ravi/agents';
import { createApprovalFeed, createStoredApprovals } from '@ravi/approval-kit';
import { createToolChainTool } from '@ravi/capabilities';
import { Toolbox, ToolInvoker } from '@ravi/invoker';
import { silentLogger, systemClock } from '@ravi/kernel';
import type { ModelRequest } from '@ravi/kernel';
import { createScriptedModel } from '@ravi/testkit';
import type { ScriptedTurn } from '@ravi/testkit';
import { createIsolatedVmSandbox } from '@ravi/sandbox-isolated-vm';
import { createCrashPoint, withStatePoints } from '../chain/durable/crash/crash-points.ts';
import { crashTools, openState, readEffects } from '../chain/durable/crash/crash-world.ts';
import { scriptCallId, wiresOf, wireScript } from './agent-orders.ts';
import type { AgentOrders } from './agent-orders.ts';

const orders = JSON.parse(process.argv[2] ?? '') as AgentOrders;
const clock = systemClock;
const logger = silentLogger;
const pass = createCrashPoint(orders);
const store = withStatePoints(await openState(orders.store), pass);
const { runs, journal, history, jobs, approvals } = store;
const feed = createApprovalFeed({ store: approvals, clock, logger, maxPollMs: 50 });
const sandbox = createIsolatedVmSandbox({});
const registry = new Toolbox(crashTools(orders, pass));
const invoker = new ToolInvoker({
  registry,
  approvalHandler: createStoredApprovals({ store: approvals, feed, clock }),
  journal,
  digestKey: new Uint8Array(32).fill(1),
  clock,
  logger,
});
const kept = keepProcess({ store, deadAfterMs: 300, clock, logger });
registry.add(createToolChainTool({ invoker, sandbox, preflight: false }));

/** Creates the agent of this process for one run: it makes one script, and ends after it has read its result. */
function agentOf(runId: string): ReActAgent {
  const script = { id: scriptCallId, name: 'tool_chain', arguments: { code: wireScript(runId) } };
  const respond = ({ messages }: ModelRequest): ScriptedTurn =>
    messages.some(({ role }) => role === 'assistant') ? { text: 'done' } : { toolCalls: [script] };
  const model = createScriptedModel([respond, respond]);
  return new ReActAgent({ name: 'clerk', model, invoker, logger, runs, history, jobs, process: kept });
}

if (orders.start !== undefined) await begin(orders.start);
else await recoverAll(orders.recover ?? []);
await kept[Symbol.asyncDispose]();
await sandbox[Symbol.asyncDispose]();
await store[Symbol.asyncDispose]();

/** Starts a run, approves all transfers but the last, and kills the process when only that one is left. */
async function begin(runId: string): Promise<void> {
  const wires = wiresOf(runId);
  const running = agentOf(runId).run('go', { runId, sessionId: runId, principal: 'ada' });
  running.catch(() => {});
  while ((await approvals.list({ runId })).items.length < wires) await pause(5);
  const { items } = await approvals.list({ runId, status: 'pending' });
  for (const { request } of items.toReversed().slice(0, -1)) await approve(request.id);
  const happened = (): number => readEffects(orders.folder).filter(({ id }) => id.startsWith(`${runId}/`)).length;
  while (happened() < wires - 1) await pause(5);
  await pause(50);
  writeSync(1, 'killed at rest\n');
  process.kill(process.pid, 'SIGKILL');
}

/** Recovers runs and approves what they ask, until each has ended. */
async function recoverAll(runIds: readonly string[]): Promise<void> {
  const open = new Set(runIds);
  const recovering = new Set<string>();
  while (open.size > 0) {
    for (const runId of open) {
      const run = await runs.get(runId);
      // A process that was killed before it had stored its run has left nothing.
      if (run?.outcome !== undefined || run === undefined) open.delete(runId);
      // It may have to wait until the process before counts as dead.
      else if (!recovering.has(runId)) {
        recovering.add(runId);
        const agent = agentOf(runId);
        void agent.recover(run, { journal, approvals }).result.catch(() => recovering.delete(runId));
      }
    }
    for (const { request } of (await approvals.list({ status: 'pending' })).items) {
      if (recovering.has(request.runId)) await approve(request.id);
    }
    await pause(25);
  }
}

async function approve(id: string): Promise<void> {
  await approvals.decide(id, { decision: 'approved', approver: 'grace', decidedAt: Date.now() });
  feed.checkNow();
}
