import { startRunRecovery } from '@ravi/capabilities';
import type { RunRecovery } from '@ravi/capabilities';
import type { Run } from '@ravi/kernel';
import type { Parts } from '../tokens.ts';
import { createCrashGuard } from './crash-guard.ts';
import { isDeadOwner } from './process-owner.ts';
import { createRecoverAgentRun } from './recover-agent-run.ts';

const dayMs = 86_400_000;
const longestPollMs = 5_000;

/** Starts the recovery of runs. Not in `openMonolith`, because a short command must not take over runs. */
export function startRecovery({ config, durable, approvalFeed: feed, clock, logger }: Parts): RunRecovery | undefined {
  if (durable === undefined || feed === undefined) return undefined;
  const { store, chains, agentRunner, recorder, turns } = durable;
  const resumeOther = createRecoverAgentRun({ agentRunner, runs: store.runs, onLeft: turns.end, logger });
  const { maxFruitlessCrashes } = config.runs;
  const guard = createCrashGuard({ store, recorder, turns, maxFruitlessCrashes, clock, logger });
  // Of the others, a run that no process here can resume is not its concern.
  const admit = async (run: Run, signal: AbortSignal): Promise<boolean> =>
    (run.definition.kind !== 'chain' && !agentRunner.owns(run)) || guard.admit(run, signal);
  // A lease that has just expired is found before as much time passes again.
  const intervalMs = Math.min(longestPollMs, Math.ceil(config.runs.leaseMs / 2));
  const maxParkedMs = config.approvals.maxParkedDays * dayMs;
  return startRunRecovery({
    chains,
    store,
    feed,
    resumeOther,
    admit,
    isDeadOwner,
    maxParkedMs,
    intervalMs,
    clock,
    logger,
  });
}
