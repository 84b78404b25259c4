import type { ToolInvoker } from '@ravi/invoker';
import { KernelError } from '@ravi/kernel';
import type { ChainRunResult, JsonValue, Logger, Run, RunOutcome, RunStatus, StateStore } from '@ravi/kernel';
import type { DurableChainResult } from './durable-chains.ts';
import { readApprovals } from './read-approvals.ts';
import type { RunLog } from './run-log.ts';

/** What a run is ended with. */
export interface EndRunOptions {
  readonly store: StateStore;
  readonly invoker: ToolInvoker;
  readonly logger: Logger;
  readonly owner: string;
  readonly log: RunLog;
  waitFor<Value>(operation: () => Promise<Value>): Promise<Value>;
}

const statusOf: Readonly<Record<ChainRunResult['status'], RunStatus>> = {
  ok: 'completed',
  error: 'failed',
  timeout: 'failed',
  cancelled: 'cancelled',
  paused: 'paused',
};

/**
 * Ends a run for good. Its artifacts are given back only once its result is on record, since a run that were repeated
 * would need them, and before the run is final, since nobody looks after a final one.
 */
export async function endRun(run: Run, result: ChainRunResult, options: EndRunOptions): Promise<DurableChainResult> {
  const { store, invoker, owner, log, waitFor } = options;
  const { clock } = invoker;
  const json = toJson(result);
  if (log.artifacts.length > 0) {
    await log.note('result', json);
    await givePinsBack(run.id, options);
  }
  await withdrawQuestions(run.id, options);
  const { status, error } = result;
  const outcome: RunOutcome = {
    result: json,
    ...(error === undefined ? {} : { error: { code: error.code, message: error.message, retryable: false } }),
  };
  const change = { from: ['running'], to: statusOf[status], owner, outcome } as const;
  const isOurs = await waitFor(() => store.runs.transition(run.id, { ...change, now: clock.now() }));
  // An attempt that failed may have been written all the same.
  if (!isOurs && (await waitFor(() => store.runs.get(run.id)))?.status !== change.to) throw conflict(run.id);
  return { ...result, runId: run.id };
}

/** Somebody else goes on with a run. */
export function conflict(runId: string): KernelError {
  return new KernelError('E_STATE_CONFLICT', `Another process has gone on with the run ${runId}`);
}

async function givePinsBack(runId: string, { invoker, logger, log }: EndRunOptions): Promise<void> {
  for (const ref of log.artifacts) {
    try {
      await invoker.artifactStore?.unpin(ref, runId);
    } catch (error) {
      logger.error('artifact could not be unpinned', { runId, error });
    }
  }
}

async function withdrawQuestions(runId: string, { store, invoker, waitFor }: EndRunOptions): Promise<void> {
  const { pending } = await waitFor(() => readApprovals(store.approvals, runId));
  for (const { request } of pending) {
    const why = { now: invoker.clock.now(), reason: 'The run is over' };
    await waitFor(() => store.approvals.withdraw(request.id, why));
  }
}

// Without what is `undefined`, which no JSON holds.
function toJson(result: ChainRunResult): JsonValue {
  return JSON.parse(JSON.stringify(result)) as JsonValue;
}
