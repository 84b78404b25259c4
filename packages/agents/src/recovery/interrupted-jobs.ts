import { errorResult } from '@ravi/invoker/internal';
import type { InvocationResult, Job, ModelMessage, ToolUseBlock } from '@ravi/kernel';
import { errorText, readAllPages } from '@ravi/support';
import type { AnnouncedJob } from '../agent/announced-jobs.ts';
import { waitForStore } from '../conversation/wait-for-store.ts';
import { isLive } from '../jobs/jobs.ts';
import type { AgentRun } from '../loop/agent-run.ts';
import { invokeCall } from '../loop/invoke-call.ts';

/** Finds the outcome of a call; `undefined` if the call can be made again. */
export type OutcomeLookup = (call: ToolUseBlock) => InvocationResult | undefined;

/** Records the outcome of a call that is not made again, and notifies observers of its end. */
export type SettleCall = (call: ToolUseBlock, outcome: InvocationResult) => Promise<void>;

/** Job of an interrupted run whose result the model has not received. */
export interface InterruptedJob {
  readonly id: string;
  readonly call: ToolUseBlock;
  /** Record of the job, if the store has one. */
  readonly row: Job | undefined;
  /** Result if the job cannot run again in any case. */
  readonly result: InvocationResult | undefined;
}

/** Jobs of an interrupted run. */
export interface InterruptedJobs {
  /** Jobs that the model knows, oldest first. */
  readonly announced: readonly InterruptedJob[];
  /** Records of running jobs that the model has not heard of. */
  readonly unannounced: readonly Job[];
}

/** Reads the jobs of an interrupted run. @throws KernelError from the store */
export async function readInterruptedJobs(run: AgentRun, known: readonly AnnouncedJob[]): Promise<InterruptedJobs> {
  const { jobs: store } = run.definition;
  const { runId } = run;
  const rows =
    store === undefined ? [] : await waitForStore(run, () => readAllPages((page) => store.list({ runId }, page)));
  const byId = new Map(rows.map((row) => [row.id, row]));
  const announced = known.map((job) => interruptedJob(job, byId.get(job.id), run.messages));
  const ids = new Set(known.map(({ id }) => id));
  return { announced, unannounced: rows.filter((row) => isLive(row) && !ids.has(row.id)) };
}

function interruptedJob(
  { id, callId, tool }: AnnouncedJob,
  row: Job | undefined,
  messages: readonly ModelMessage[],
): InterruptedJob {
  const call = callIn(messages, callId);
  if (row !== undefined && !isLive(row))
    return { id, call: call ?? lostCall(callId, tool), row, result: storedResult(row) };
  if (call !== undefined) return { id, call, row, result: undefined };
  const message = `The process ended while the job ran, and the conversation no longer has its call of ${tool}`;
  return { id, call: lostCall(callId, tool), row, result: errorResult('E_RUN_LOST', message) };
}

function callIn(messages: readonly ModelMessage[], callId: string): ToolUseBlock | undefined {
  for (const { role, content } of messages) {
    if (role !== 'assistant') continue;
    for (const block of content) if (block.type === 'tool_use' && block.id === callId) return block;
  }
  return undefined;
}

function lostCall(id: string, name: string): ToolUseBlock {
  return { type: 'tool_use', id, name, arguments: {} };
}

// A job that was cancelled while no process had its run has only an error.
function storedResult({ result, status, error }: Job): InvocationResult {
  if (result !== undefined) return result as unknown as InvocationResult;
  return errorResult(
    error?.code ?? 'E_RUN_LOST',
    error?.message ?? `The job is ${status}, and its result is not stored`,
  );
}

/** Returns the calls of the jobs that will be made again. */
export function repeatedCalls({ announced }: InterruptedJobs, outcomeOf: OutcomeLookup): readonly ToolUseBlock[] {
  return announced.flatMap(({ call, result }) => (result === undefined && outcomeOf(call) === undefined ? [call] : []));
}

/**
 * Continues the jobs of a recovered run under their ids: one that has an outcome ends with it, and the model receives it like
 * any other result of a job; the call of any other job is made again.
 */
export async function continueJobs(
  run: AgentRun,
  { announced, unannounced }: InterruptedJobs,
  { outcomeOf, settle }: { readonly outcomeOf: OutcomeLookup; readonly settle: SettleCall },
): Promise<void> {
  for (const row of unannounced) if (row.callId !== undefined) run.jobs.keepUnannounced(row.callId, row);
  for (const job of announced) {
    const outcome = job.result ?? outcomeOf(job.call);
    if (outcome !== undefined) await settle(job.call, outcome);
    continueJob(run, job, outcome);
  }
}

function continueJob(run: AgentRun, { id, call, row }: InterruptedJob, outcome: InvocationResult | undefined): void {
  const controller = new AbortController();
  run.jobs.adopt(id, call, row, () => controller.abort());
  run.emit?.({ type: 'job-started', ...run.session.scope, jobId: id, callId: call.id, tool: call.name });
  const settle = (result: InvocationResult): void => {
    run.jobs.finish(call.id, result);
    run.pausing?.look();
  };
  if (outcome !== undefined) return settle(outcome);
  invokeCall(run, call, controller.signal).then(settle, (error: unknown) =>
    settle(errorResult('E_CANCELLED', errorText(error))),
  );
}
