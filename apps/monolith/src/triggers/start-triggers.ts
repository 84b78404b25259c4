import type { Parts } from '../tokens.ts';
import { createClaims } from './claim-due.ts';
import { createStartFiring } from './start-firing.ts';
import { startTriggerScheduler } from './trigger-scheduler.ts';
import type { TriggerScheduler } from './trigger-scheduler.ts';

const longestPollMs = 2_000;

/** Fires the triggers of a server; `undefined` without a state store. Not in `openMonolith`: a short command starts no runs. */
export function startTriggers({ triggers, durable, config, clock, logger }: Parts): TriggerScheduler | undefined {
  if (triggers === undefined || durable === undefined) return undefined;
  const { store, service, rights, channels } = triggers;
  const { leaseMs } = config.runs;
  const limits = () => config.triggers;
  const scheduler = startTriggerScheduler({
    store,
    claims: createClaims({ store, channels, limits, leaseMs, clock, logger }),
    startFiring: createStartFiring({ store, runs: durable.runs, rights, limits, clock, logger }),
    leaseMs,
    pollMs: Math.min(longestPollMs, leaseMs),
    clock,
    logger,
  });
  const unfollow = service.onAdded(scheduler.wake);
  return {
    ...scheduler,
    stop() {
      unfollow();
      scheduler.stop();
    },
  };
}
