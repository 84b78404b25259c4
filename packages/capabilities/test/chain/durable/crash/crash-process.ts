import { writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { createApprovalFeed, createStoredApprovals } from '@ravi/approval-kit';
import { keepProcess } from '@ravi/agents';
import { Toolbox, ToolInvoker } from '@ravi/invoker';
import { connectEngine, createDurableChains, startRunRecovery } from '@ravi/capabilities';
import { createMemoryRunEngine } from '@ravi/engine-memory';
import { isKernelError, silentLogger, systemClock } from '@ravi/kernel';
import type { RunStore, CompleteStateStore } from '@ravi/kernel';
import { createIsolatedVmSandbox } from '@ravi/sandbox-isolated-vm';
import { createCrashPoint, withBlobPoints, withStatePoints } from './crash-points.ts';
import { crashScript, crashTools, openBlobs, openState } from './crash-world.ts';
import type { CrashOrders } from './orders.ts';

const orders = JSON.parse(process.argv[2] ?? '') as CrashOrders;
const clock = systemClock;
const logger = silentLogger;
const pass = createCrashPoint(orders);
const store = withStatePoints(await openState(orders.store), pass);
const feed = createApprovalFeed({ store: store.approvals, clock, logger, maxPollMs: 100 });
const invoker = new ToolInvoker({
  registry: new Toolbox(crashTools(orders, pass)),
  approvalHandler: createStoredApprovals({ store: store.approvals, feed, clock }),
  artifactStore: withBlobPoints(openBlobs(orders.folder), pass),
  policy: { maxRiskUnapproved: 'high' },
  digestKey: new Uint8Array(32).fill(1),
  clock,
  logger,
});
const sandbox = createIsolatedVmSandbox({});
const kept = keepProcess({ store, deadAfterMs: 300, clock, logger });
const chains = createDurableChains({
  store,
  invoker,
  sandbox,
  logger,
  preflight: false,
  process: kept,
  pauseAfterMs: 5,
});
const slots = { agents: 8, scripts: 8 };
const engine = createMemoryRunEngine({ clock, logger });
await connectEngine({ store, engine, logger });
const keeper = startRunRecovery({ engine, chains, store, feed, clock, logger, intervalMs: 100, slots });
writeSync(1, 'ready\n');

await Promise.all([startRuns(store), answerQuestions(store, () => feed.checkNow())]);
await chains[Symbol.asyncDispose]();
await keeper[Symbol.asyncDispose]();
await engine[Symbol.asyncDispose]();
await kept[Symbol.asyncDispose]();
await sandbox[Symbol.asyncDispose]();
await store[Symbol.asyncDispose]();

// Runs of dead processes count too: otherwise they would accumulate, and most of them would be interrupted only once.
async function startRuns({ runs }: CompleteStateStore): Promise<void> {
  let last = 0;
  let begun = 0;
  const begin = async (): Promise<void> => {
    const runId = `run-${process.pid}-${Date.now()}-${++last}`;
    begun++;
    await chains.start({ code: crashScript, input: { id: runId }, runId, approvals: 'pause' }).catch(ignoreConflict);
    begun--;
  };
  while (orders.liveRuns > 0) {
    // A run that has just started may not be recorded yet.
    for (let live = Math.max(begun, await countLive(runs)); live < orders.liveRuns; live++) void begin();
    await pause(25);
  }
}

function ignoreConflict(error: unknown): void {
  if (!isKernelError(error, 'E_STATE_CONFLICT')) throw error;
}

async function countLive(runs: RunStore): Promise<number> {
  const limit = orders.liveRuns + 1;
  const lists = (['running', 'paused'] as const).map((status) => runs.list({ status }, { limit }));
  return (await Promise.all(lists)).reduce((sum, { items }) => sum + items.length, 0);
}

/** Simulates an approver who mostly approves. Ends when no run can send a request, unless more runs will start. */
async function answerQuestions({ approvals, runs }: CompleteStateStore, onAnswer: () => void): Promise<void> {
  for (;;) {
    for (const { request } of (await approvals.list({ status: 'pending' })).items) {
      const decision = Math.random() < 0.75 ? 'approved' : 'denied';
      await approvals.decide(request.id, { decision, approver: 'ada', decidedAt: Date.now() });
      onAnswer();
    }
    if (orders.liveRuns === 0 && (await countLive(runs)) === 0) return;
    await pause(25);
  }
}
