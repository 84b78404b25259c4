import { writeSync } from 'node:fs';
import { createApprovalFeed, createRecordedApprovals, Toolbox, ToolInvoker } from '@ravi/agents';
import { createDurableChains, keepRunsGoing } from '@ravi/capabilities';
import { isKernelError, silentLogger, systemClock } from '@ravi/kernel';
import type { StateStore } from '@ravi/kernel';
import { createIsolatedVmSandbox } from '@ravi/sandbox-isolated-vm';
import { createCrashPoint, withBlobPoints, withStatePoints } from './crash-points.ts';
import { crashScript, crashTools, openBlobs, openState } from './crash-world.ts';
import type { CrashOrders } from './orders.ts';

const orders = JSON.parse(process.argv[2] ?? '') as CrashOrders;
const clock = systemClock;
const logger = silentLogger;
const pass = createCrashPoint(orders);
const store = withStatePoints(await openState(orders.store), pass);
const feed = createApprovalFeed({ store: store.approvals, clock, logger, intervalMs: 20 });
const invoker = new ToolInvoker({
  registry: new Toolbox(crashTools(orders, pass)),
  approvalHandler: createRecordedApprovals({ store: store.approvals, feed, clock }),
  artifactStore: withBlobPoints(openBlobs(orders.folder), pass),
  policy: { maxRiskUnapproved: 'high' },
  digestKey: new Uint8Array(32).fill(1),
  clock,
  logger,
});
const sandbox = createIsolatedVmSandbox({});
const chains = createDurableChains({
  store,
  invoker,
  sandbox,
  logger,
  preflight: false,
  leaseMs: 300,
  pauseAfterMs: 5,
});
const keeper = keepRunsGoing({ chains, store, feed, clock, logger, intervalMs: 40, atOnce: 8 });
writeSync(1, 'ready\n');

const isOver = orders.newRuns > 0 ? startRuns(orders.newRuns) : undefined;
await Promise.all([isOver, answerQuestions(store, () => feed.poke())]);
await chains[Symbol.asyncDispose]();
await keeper[Symbol.asyncDispose]();
await sandbox[Symbol.asyncDispose]();
await store[Symbol.asyncDispose]();

async function startRuns(atOnce: number): Promise<void> {
  let last = 0;
  const one = async (): Promise<void> => {
    for (;;) {
      const runId = `run-${process.pid}-${Date.now()}-${++last}`;
      const run = chains.start({ code: crashScript, input: { id: runId }, runId, approvals: 'pause' });
      await run.catch((error: unknown) => {
        if (!isKernelError(error, 'E_STATE_CONFLICT')) throw error;
      });
      // A paused run is not over; the next one need not wait for it, but the process should not drown in runs.
      while (chains.active >= atOnce) await new Promise(setImmediate);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, one));
}

/** Somebody who answers, mostly with yes. Ends when no run is left to ask anything, unless there will be others. */
async function answerQuestions({ approvals, runs }: StateStore, onAnswer: () => void): Promise<void> {
  for (;;) {
    for (const { request } of (await approvals.list({ status: 'pending' })).items) {
      const decision = Math.random() < 0.75 ? 'approved' : 'denied';
      await approvals.decide(request.id, { decision, approver: 'ada', decidedAt: Date.now() });
      onAnswer();
    }
    if (orders.newRuns === 0) {
      const live = await Promise.all(
        (['running', 'paused'] as const).map((status) => runs.list({ status }, { limit: 1 })),
      );
      if (live.every(({ items }) => items.length === 0)) return;
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
