import type { Clock, CompleteStateStore, ModelError, Run } from '@ravi/kernel';
import type { RunRecorder } from './run-recorder.ts';

/** End of a run that no process executes. */
export interface LeftRunEnd {
  readonly status: 'failed' | 'cancelled';
  readonly error: ModelError;
}

/** Services of {@link endLeftRun}. */
export interface LeftRunServices {
  readonly store: Pick<CompleteStateStore, 'processes'>;
  readonly recorder: RunRecorder;
  readonly clock: Clock;
}

/** Milliseconds after which a run whose end was begun and not stored is free again, if this process dies meanwhile. */
const endingMs = 10_000;

/**
 * Ends a run that no process executes, and records its last event. Resolves with false if another process has taken it.
 * @throws KernelError of the store
 */
export async function endLeftRun(
  { store: { processes }, recorder, clock }: LeftRunServices,
  { id: runId, sessionId, definition }: Run,
  { status, error }: LeftRunEnd,
): Promise<boolean> {
  const owner = `ending_${crypto.randomUUID()}`;
  // Without a record of its owner the run could be taken, by a client that waits for it or by another server.
  await processes.register({ id: owner, deadAfterMs: endingMs });
  try {
    if (!(await recorder.claimToEnd(runId, { owner }))) return false;
    try {
      const shown = status === 'failed' && definition.kind !== 'agent' ? 'error' : status;
      const event = { type: 'run-end', runId, sessionId, status: shown, error } as const;
      const change = { from: ['running', 'paused', 'blocked'], to: status, owner, outcome: { error }, event } as const;
      return await recorder.runs.transition(runId, { ...change, now: clock.now() });
    } finally {
      await recorder.close(runId);
    }
  } finally {
    await processes.remove(owner).catch(() => {});
  }
}
