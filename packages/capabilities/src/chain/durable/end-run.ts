import type { ToolInvoker } from '@ravi/invoker';
import { KernelError, textBlock } from '@ravi/kernel';
import type {
  Approval,
  ChainRunResult,
  JsonValue,
  Logger,
  Run,
  RunBlock,
  RunEventOf,
  RunOutcome,
  RunJournal,
  RunStatus,
  RunTransition,
  RunWriter,
  CompleteStateStore,
} from '@ravi/kernel';
import { failureReport } from '../report.ts';
import { readRecordedRun, unknownOutcome } from './recorded-run.ts';
import type { RecordedRun } from './recorded-run.ts';
import type { RunLog } from './run-log.ts';

/** Result of starting or resuming a run: its outcome, or its state as a paused run. */
export type DurableChainResult = ChainRunResult & { readonly runId: string };

/** Options of {@link endRun}. */
export interface EndRunOptions {
  readonly store: CompleteStateStore;
  readonly invoker: ToolInvoker;
  readonly logger: Logger;
  /** Owner and epoch of the run. */
  readonly writer: RunWriter;
  readonly log: RunLog;
  waitFor<Value>(operation: () => Promise<Value>): Promise<Value>;
  /** Pins an artifact for the run above, before the pin of this run is released. */
  keepArtifact?(ref: string): Promise<void>;
}

const statusOf: Readonly<Record<ChainRunResult['status'], RunStatus>> = {
  ok: 'completed',
  error: 'failed',
  timeout: 'failed',
  cancelled: 'cancelled',
  paused: 'paused',
};

/**
 * Ends a run for good, and with it the calls that its script did not await. Its artifacts are released after its result is recorded, because a repeated run would need them,
 * and before the run is final, because no process looks after a final run.
 */
export async function endRun(run: Run, result: ChainRunResult, options: EndRunOptions): Promise<DurableChainResult> {
  const { store, invoker, writer, log, waitFor } = options;
  const { owner, epoch } = writer;
  const { clock } = invoker;
  if (log.artifacts.length > 0) {
    await log.note('result', toJson(result));
    await unpinArtifacts(run.id, options);
  }
  await log.endOpenCalls();
  const change = { from: ['running'], to: statusOf[result.status], owner, epoch, ...endOf(run, result) } as const;
  const isOurs = await waitFor(() => store.runs.transition(run.id, { ...change, now: clock.now() }));
  // A failed attempt may still have been written.
  if (!isOurs && (await waitFor(() => store.runs.get(run.id)))?.status !== change.to) throw conflict(run.id);
  return { ...result, runId: run.id };
}

/** Returns the outcome of a run that ends, and its last event. */
export function endOf(run: Run, result: ChainRunResult): Pick<RunTransition, 'outcome' | 'event'> {
  const { error } = result;
  const outcome: RunOutcome = {
    result: toJson(result),
    ...(error === undefined ? {} : { error: { code: error.code, message: error.message, retryable: false } }),
  };
  return { outcome, ...endEventOf(run, result) };
}

function endEventOf(
  { id: runId, sessionId }: Run,
  { status, error, durationMs, toolCalls }: ChainRunResult,
): { readonly event?: RunEventOf<'run-end'> } {
  if (status === 'paused') return {};
  const failure = error === undefined ? {} : { error: { code: error.code, message: error.message } };
  return { event: { type: 'run-end', runId, sessionId, status, durationMs, toolCalls, ...failure } };
}

/** Returns the change of a run that waits for approval, and its last event. */
export function pauseOf({ id: runId, sessionId }: Run): Pick<RunTransition, 'to' | 'event'> {
  return { to: 'paused', event: { type: 'run-paused', runId, sessionId, questions: [] } };
}

/** Returns the change of a run that becomes blocked, and its last event. */
export function blockedBy(
  { id: runId, sessionId }: Run,
  block: RunBlock,
): Pick<RunTransition, 'to' | 'block' | 'event'> {
  const error = { code: 'E_RUN_CHANGED', message: block.message };
  const event = { type: 'run-paused', runId, sessionId, questions: [], reason: 'changed', error } as const;
  return { to: 'blocked', block, event };
}

/** Returns the error for a run that another process has resumed. */
export function conflict(runId: string): KernelError {
  return new KernelError('E_STATE_CONFLICT', `Another process has resumed run ${runId}`);
}

async function unpinArtifacts(runId: string, { invoker, logger, log, keepArtifact }: EndRunOptions): Promise<void> {
  for (const ref of log.artifacts) {
    try {
      await keepArtifact?.(ref);
      await invoker.artifactStore?.unpin(ref, runId);
    } catch (error) {
      logger.error('artifact could not be unpinned', { runId, error });
    }
  }
}

// Drops `undefined` properties, which JSON cannot hold.
function toJson(result: ChainRunResult): JsonValue {
  return JSON.parse(JSON.stringify(result)) as JsonValue;
}

/** Returns the result of a run that cannot continue, with the calls that it has made. */
export function failedResult(
  { code, message }: Pick<KernelError, 'code' | 'message'>,
  recorded: Pick<RecordedRun, 'calls'>,
): ChainRunResult {
  const callTrace = [...recorded.calls.values()].map((call) =>
    call.status === 'finished' ? call.entry.record : unknownOutcome(call).record,
  );
  const outputText = failureReport({ code, message }, callTrace);
  return {
    status: 'error',
    error: { code, message },
    outputText,
    outputBlocks: [{ type: 'error', message: outputText, code }],
    logs: [],
    toolCalls: callTrace.length,
    durationMs: 0,
    callTrace,
  };
}

/** Returns the result of a run that is over; a run that was ended from outside its script has only an error. */
export async function resultOf(run: Run, journal: Pick<RunJournal, 'entries'>): Promise<DurableChainResult> {
  const { id: runId, status, outcome } = run;
  if (outcome?.result !== undefined) return { ...(outcome.result as unknown as ChainRunResult), runId };
  const { code, message } = outcome?.error ?? { code: 'E_INTERNAL', message: `The run is ${status}` };
  const failed = failedResult({ code, message }, readRecordedRun((await journal.entries(runId)).items));
  return { ...failed, ...(status === 'cancelled' ? { status } : {}), runId };
}

/** Returns the result of a run that was cancelled while it was being suspended. */
export function cancelledResult(left: ChainRunResult): ChainRunResult {
  const { logs, toolCalls, durationMs, callTrace } = left;
  const error = { code: 'E_CANCELLED', message: 'The run was cancelled' };
  const outputText = failureReport(error, callTrace);
  const outputBlocks = [{ type: 'error', message: outputText, code: error.code }] as const;
  return { status: 'cancelled', error, outputText, outputBlocks, logs, toolCalls, durationMs, callTrace };
}

/** Returns the result of a run that waits because its script or a tool has changed. */
export function changedResult(error: KernelError, recorded: Pick<RecordedRun, 'calls'>): ChainRunResult {
  const outputText = `The run is paused: ${error.message} [${error.code}]`;
  return { ...failedResult(error, recorded), status: 'paused', outputText, outputBlocks: [textBlock(outputText)] };
}

function pausedUntil(pending: readonly Approval[]): string {
  const awaited = pending.filter(({ request }) => request.completion !== undefined);
  const asked = pending.filter(({ request }) => request.completion === undefined);
  const requests = asked.map(({ request }) => `${request.tool} (${request.id})`).join(', ');
  const tools = awaited.map(({ request }) => request.tool).join(', ');
  const parts = [
    ...(asked.length === 0 ? [] : [`until these calls are approved or denied: ${requests}`]),
    ...(awaited.length === 0 ? [] : [`until the results of these calls arrive from outside: ${tools}`]),
  ];
  return parts.join(', and ');
}

/** Returns the result of a run that waits for approval, or for results from outside: its finished calls and the pending requests. */
export function pausedResult(left: ChainRunResult, pending: readonly Approval[]): ChainRunResult {
  const { logs, toolCalls, durationMs } = left;
  const outputText = `The run is paused ${pausedUntil(pending)}`;
  return {
    status: 'paused',
    outputText,
    outputBlocks: [textBlock(outputText)],
    logs,
    toolCalls,
    durationMs,
    callTrace: left.callTrace.filter(({ status }) => status !== 'cancelled'),
  };
}
