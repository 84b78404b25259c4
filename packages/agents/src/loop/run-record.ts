import { KernelError } from '@ravi/kernel';
import type { JsonObject, RunStatus } from '@ravi/kernel';
import { errorText } from '../error-text.ts';
import type { AgentRun } from './agent-run.ts';
import type { AgentEnding } from './agent-result.ts';

const statusOf: Readonly<Record<AgentEnding['status'], RunStatus>> = {
  completed: 'completed',
  stopped: 'completed',
  paused: 'paused',
  failed: 'failed',
  cancelled: 'cancelled',
};

/**
 * Tells observers and the run store that a run begins, or goes on after a pause: of many who resume it one may.
 * @throws KernelError of the store, `E_STATE_CONFLICT` when the run is not paused any more
 */
export async function beginRun(run: AgentRun): Promise<void> {
  const { hooks } = run.definition.invoker;
  const { runId, sessionId, agent, principal } = run;
  hooks.emit('run-start', { ...scopeOf(run), agent });
  run.emit?.({ type: 'run-start', runId, sessionId, agent });
  const { runs } = run.definition;
  if (runs === undefined) return;
  if (!run.isResumed) {
    const parent = run.parentRunId === undefined ? {} : { parentRunId: run.parentRunId };
    const definition = { kind: 'agent', details: { agent } };
    await runs.create({ id: runId, principal, sessionId, definition, createdAt: run.now(), ...parent });
    run.isRecorded = true;
    return;
  }
  const isOurs = await runs.transition(runId, { from: ['paused'], to: 'running', now: run.now() });
  if (!isOurs)
    throw new KernelError('E_STATE_CONFLICT', `The run ${runId} is not paused: somebody else has resumed it`);
  run.isRecorded = true;
}

/** Tells them how it ended. A store that fails here changes nothing about the result. */
export async function endRun(run: AgentRun, ending: AgentEnding): Promise<void> {
  const { hooks } = run.definition.invoker;
  const { agent, step: steps, usage } = run;
  const { status, error } = ending;
  const failure = error === undefined ? {} : { errorCode: error.code };
  hooks.emit('run-end', { ...scopeOf(run), agent, status, steps, usage, ...failure });
  const { runs, logger } = run.definition;
  if (runs === undefined || !run.isRecorded) return;
  try {
    const outcome = { result: outcomeOf(run, ending), ...(error === undefined ? {} : { error }) };
    const isFinal = status !== 'paused';
    const to = statusOf[status];
    await runs.transition(run.runId, { from: ['running'], to, now: run.now(), ...(isFinal ? { outcome } : {}) });
  } catch (failed) {
    logger.error('the end of a run was not stored', { runId: run.runId, error: errorText(failed) });
  }
}

function outcomeOf({ text }: AgentRun, { reason, output }: AgentEnding): JsonObject {
  return { reason, text, ...(output === undefined ? {} : { output }) };
}

function scopeOf(run: AgentRun): { readonly runId: string; readonly sessionId: string; readonly parentId?: string } {
  return run.session.scope;
}
