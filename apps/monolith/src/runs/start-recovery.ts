import { startRunRecovery } from '@ravi/capabilities';
import type { RunRecovery } from '@ravi/capabilities';
import type { Run, Timer } from '@ravi/kernel';
import { partsOf } from '../container.ts';
import type { Monolith } from '../lifespan.ts';
import type { Parts } from '../tokens.ts';
import { createCrashGuard } from './crash-guard.ts';
import { endLeftRun } from './end-left-run.ts';
import { hasEnded } from './process-id.ts';
import { createRecoverAgentRun } from './recover-agent-run.ts';

const dayMs = 86_400_000;
const longestPollMs = 2_500;
const pollsPerLease = 4;
/** Until each server has looked, also if a poll takes a while. */
const pollsOfOthers = 2;

/** Starts the recovery of runs. Not in `openMonolith`, because a short command must not take over runs. */
export function startRecovery(parts: Parts): RunRecovery | undefined {
  const { config, durable, approvalFeed: feed, runEngine: engine, clock, logger } = parts;
  if (durable === undefined || feed === undefined || engine === undefined) return undefined;
  const { store, chains, agentRunner, recorder, turns, startSlots } = durable;
  const resumeOther = createRecoverAgentRun({ agentRunner, runs: store.runs, onLeft: turns.end, logger });
  const { maxFruitlessCrashes } = config.runs;
  const guard = createCrashGuard({ store, recorder, turns, maxFruitlessCrashes, clock, logger });
  // Of the others, a run that no process here can resume is not its concern.
  const admit = async (run: Run, signal: AbortSignal): Promise<boolean> => {
    if (run.definition.kind !== 'chain' && !agentRunner.owns(run)) return true;
    return !(await endIfCancelled(run)) && guard.admit(run, signal);
  };
  // Its process has ended before it saw the request. The run must not work on until this one looks.
  async function endIfCancelled(run: Run): Promise<boolean> {
    if (recorder.isExecuting(run.id)) return false;
    if (!(await store.cancellations.has(run.id))) return false;
    const error = { code: 'E_CANCELLED', message: 'The run was cancelled', retryable: false };
    if (await endLeftRun({ store, recorder, clock }, run, { status: 'cancelled', error }))
      logger.info('cancelled a run whose process has ended', { runId: run.id });
    return true;
  }
  // A process that is dead is found long before as much time passes again.
  const intervalMs = Math.min(longestPollMs, Math.ceil(config.runs.leaseMs / pollsPerLease));
  const maxParkedMs = config.approvals.maxParkedDays * dayMs;
  const recovery = startRunRecovery({
    engine,
    slots: config.runs.slots,
    chains,
    store,
    feed,
    resumeOther,
    blockOfOther: (run) => agentRunner.blockOf(run),
    // Time until a server that has just ended counts as dead, and for the next polls of one that has what the run needs.
    blockAfterMs: config.runs.leaseMs + pollsOfOthers * intervalMs,
    admit,
    hasEnded,
    maxParkedMs,
    intervalMs,
    clock,
    logger,
  });
  startSlots.open();
  const unfollow = followTools(parts, recovery);
  return {
    ...recovery,
    stop() {
      startSlots.close();
      unfollow();
      recovery.stop();
    },
    async [Symbol.asyncDispose]() {
      startSlots.close();
      unfollow();
      await recovery[Symbol.asyncDispose]();
    },
  };
}

/**
 * Resumes runs in the background, as a server does: for a process that stays open without listening. Call `stop` before the process is
 * disposed. Returns `undefined` without a state store.
 */
export function recoverRuns({ container }: Monolith): RunRecovery | undefined {
  return startRecovery(partsOf(container));
}

/** A server that changes its tools all the time must not have every waiting run tried again each time. */
const leastRetryMs = 60_000;

// The tools of a source that opened after the start may be those that runs wait for.
function followTools({ toolSources, clock }: Parts, recovery: RunRecovery): () => void {
  let triedAt = Number.NEGATIVE_INFINITY;
  let timer: Timer | undefined;
  const unsubscribe = toolSources.onNewTools(() => {
    if (timer !== undefined) return;
    const waitMs = Math.max(0, triedAt + leastRetryMs - clock.monotonic());
    timer = clock.setTimer(
      () => {
        timer = undefined;
        triedAt = clock.monotonic();
        recovery.retryChanged();
      },
      waitMs,
      { isBackground: true },
    );
  });
  return () => {
    unsubscribe();
    timer?.cancel();
  };
}
