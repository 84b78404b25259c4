import { isKernelError } from '@ravi/kernel';
import type { Clock, CompleteStateStore, Logger, Run } from '@ravi/kernel';
import { countFruitlessCrashes } from './crashed-attempts.ts';
import type { EventsOfTree } from './crashed-attempts.ts';
import { endLeftRun } from './end-left-run.ts';
import type { RunRecorder } from './run-recorder.ts';
import type { SuspectTurns } from './suspect-turns.ts';

/** Limits the crashes of runs that may be their cause. */
export interface CrashGuard {
  /**
   * Resolves with true when an interrupted run may be resumed in this process. A run that has crashed repeatedly without progress
   * waits for its turn, or is ended with `E_RUN_LOST`. False if it must not be resumed now, or when `signal` aborts.
   */
  admit(run: Run, signal: AbortSignal): Promise<boolean>;
}

/** Options of {@link createCrashGuard}. */
export interface CrashGuardOptions {
  readonly store: CompleteStateStore;
  readonly recorder: RunRecorder;
  readonly turns: SuspectTurns;
  /** Crashes in a row without progress that a run survives while it is resumed alone. */
  readonly maxFruitlessCrashes: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

// Until then a run is resumed at once, together with others: most crashes have causes outside.
const crashesOfSuspect = 2;
const maxSubAgents = 1_000;

/**
 * Creates a guard. A run whose process crashed twice in a row without progress is a suspect, and so is each run that was active next to
 * the cause. A process resumes
 * one suspect at a time, after a pause that grows, and only a crash before the next suspect starts counts towards the limit. So the
 * cause is found, and a run that was only next to it is not ended.
 */
export function createCrashGuard(options: CrashGuardOptions): CrashGuard {
  const { store, recorder, turns, maxFruitlessCrashes, clock, logger } = options;

  async function eventsOf(runId: string): Promise<EventsOfTree> {
    const events = await recorder.read(runId);
    const below: EventsOfTree[] = [];
    const { items } = await store.runs.list({ parentRunId: runId }, { limit: maxSubAgents });
    for (const { id, definition } of items) if (definition.kind === 'agent') below.push(await eventsOf(id));
    return { events, below };
  }

  async function accompany(runId: string): Promise<void> {
    const log = recorder.active(runId);
    log?.append({ type: 'run-accompanied' });
    // Without a hold, because the run may be ending: its last event must stay the last one.
    await log?.stored();
  }

  async function isUnchanged({ id, epoch, status }: Run): Promise<boolean> {
    const now = await store.runs.get(id);
    return now?.epoch === epoch && now.status === status && now.owner !== undefined;
  }

  async function giveUp(run: Run, crashes: number): Promise<void> {
    const message = `The run was given up, because its process crashed ${crashes} times in a row without progress, also when no other suspected run was resumed (runs.maxFruitlessCrashes is ${maxFruitlessCrashes})`;
    const error = { code: 'E_RUN_LOST', message, retryable: false };
    const isEnded = await endLeftRun({ store, recorder, clock }, run, { status: 'failed', error });
    if (isEnded) logger.error('run given up', { runId: run.id, crashes });
  }

  return {
    async admit(run, signal) {
      // A run that was released, or that this process executes, has not crashed.
      if (run.owner === undefined || recorder.isExecuting(run.id)) return true;
      // Each poll finds it again, and its events may be many.
      if (turns.isWaiting(run.id)) return false;
      const { total, alone } = countFruitlessCrashes(await eventsOf(run.id));
      if (total < crashesOfSuspect) return true;
      try {
        if (alone > maxFruitlessCrashes) await giveUp(run, alone);
        else
          return await turns.take(run.id, total - crashesOfSuspect, {
            principal: run.principal,
            signal,
            isCurrent: () => isUnchanged(run),
            accompany,
          });
      } catch (error) {
        if (!isKernelError(error, 'E_STATE_CONFLICT')) throw error;
      }
      return false;
    },
  };
}
