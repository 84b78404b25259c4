import { toolDigest } from '@ravi/invoker';
import type { ToolInvoker } from '@ravi/invoker';
import { canReconcile, isCallWithin, isLocalTool } from '@ravi/kernel';
import type {
  Approval,
  ApprovalRequest,
  JournalItem,
  Listing,
  ModelStopReason,
  RunJournal,
  ToolResultBlock,
  ToolUseBlock,
} from '@ravi/kernel';
import type { AnnouncedJob } from '../agent/announced-jobs.ts';
import { openCalls } from '../conversation/join-messages.ts';
import { modelResult } from '../conversation/model-result.ts';
import { isOwn } from '../conversation/pause.ts';
import type { PauseState } from '../conversation/pause.ts';
import { waitForStore } from '../conversation/wait-for-store.ts';
import type { AgentRun } from '../loop/agent-run.ts';
import { appendToolResults } from '../loop/run-agent.ts';
import { RunJournal as JournalOfRun } from '../loop/run-journal.ts';
import { StepCalls } from '../loop/step-calls.ts';
import { isSuspended } from '../loop/suspension.ts';
import { endChildren, readChildRuns } from './child-runs.ts';
import { continueJobs, readInterruptedJobs, repeatedCalls } from './interrupted-jobs.ts';
import type { OutcomeLookup, SettleCall } from './interrupted-jobs.ts';
import { createOutcomeLookup } from './outcome-lookup.ts';
import type { RunApprovals } from './run-approvals.ts';
import { settleCall } from './settle-call.ts';

/** Work that a run left open. */
export interface OpenWork {
  readonly approvals: RunApprovals;
  readonly journal: Pick<RunJournal, 'entries'>;
  /** Jobs that the model knows and whose results it has not received. */
  readonly jobs: readonly AnnouncedJob[];
}

/** Calls of the last response that have no result. */
export interface OpenStep extends OpenWork {
  readonly calls: readonly ToolUseBlock[];
  readonly reason: ModelStopReason;
  /** True if the budget of the run has counted the calls. */
  readonly isCounted: boolean;
  /** Calls that stay open: they wait for an answer. */
  readonly waiting?: readonly ToolUseBlock[];
}

const abandoned = 'The process ended, and the run continued without this call';
const changed =
  'The definition of the tool has changed since the request. A new request follows if the call is made again';

/**
 * Continues the jobs and the open calls of a run: those that have an outcome end with it, the others are made again, and
 * what belongs to neither ends. Returns the results of the calls, in their order.
 * @throws KernelError from the stores
 */
export async function continueCalls(run: AgentRun, step: OpenStep): Promise<readonly ToolResultBlock[]> {
  const { approvals, calls, waiting = [] } = step;
  const { runs, process, invoker } = run.definition;
  const listed = process === undefined ? undefined : runs;
  const children = await waitForStore(run, () => readChildRuns(listed, run.runId));
  // A call that has a run has passed every gate.
  for (const callId of children.byCall.keys()) run.session.countedCalls.add(callId);
  const jobs = await readInterruptedJobs(run, step.jobs);
  const recorded = await recordedCalls(run, step, calls.length + jobs.announced.length);
  const lookup = (known: readonly Approval[]): OutcomeLookup =>
    createOutcomeLookup(run.runId, recorded, { children, approvals: known, canRepeat: canRepeatIn(invoker) });
  const repeated = repeatedCalls(jobs, lookup(approvals.all));
  const isOfJob = (callId: string): boolean => repeated.some((call) => isCallWithin(callId, call));
  // Calls of earlier steps have results, except those of jobs.
  const isDead = (callId: string): boolean =>
    !isOfJob(callId) && ![...calls, ...waiting].some((call) => isCallWithin(callId, call));
  await approvals.withdraw(isForOtherDefinition([...calls, ...repeated], invoker), changed);
  const settled = await approvals.withdraw(({ callId }) => isDead(callId), abandoned);
  const end = (callIsDead: (callId: string) => boolean): Promise<void> =>
    waitForStore(run, () => endChildren(run, children, callIsDead, abandoned));
  await end(isDead);
  const settle: SettleCall = (call, outcome) => settleCall(run, call, outcome, recorded);
  await continueJobs(run, jobs, { outcomeOf: lookup(settled), settle });
  if (calls.length === 0) return [];
  const endDead = (isEnded: (callId: string) => boolean): Promise<void> =>
    end((callId) => !isOfJob(callId) && isEnded(callId));
  return resultsOf(run, { ...step, lookup, settle, approvals: sparing(approvals, isOfJob), end: endDead });
}

/** Continues a run whose questions are answered: the open calls of its sub-agents, and its jobs. */
export async function continueAnswered(run: AgentRun, work: OpenWork): Promise<void> {
  // The answers could not be stored.
  if (run.ending !== undefined) return;
  const calls = openCalls(run.messages);
  const results = await continueCalls(run, { ...work, calls, reason: 'tool-use', isCounted: true });
  if (calls.length > 0) await appendToolResults(run, results);
}

/** Pauses a run again that waits for answers. Until then its sub-agents and jobs take the decisions that were made meanwhile. */
export async function pauseAgain(run: AgentRun, state: PauseState, work: OpenWork): Promise<void> {
  const own = state.questions.filter(({ callId }) => isOwn(callId));
  const open = openCalls(run.messages);
  const isAsked = ({ id }: ToolUseBlock): boolean => own.some(({ callId }) => callId === id);
  const [waiting, calls] = [open.filter(isAsked), open.filter((call) => !isAsked(call))];
  for (const question of own) run.ask(question);
  const results = await continueCalls(run, { ...work, calls, waiting, reason: 'tool-use', isCounted: true });
  if (calls.length > 0 || work.jobs.length > 0) return appendToolResults(run, results);
  run.end({ status: 'paused', reason: 'question', paused: { ...state, messages: [...run.messages] } });
}

/** Open calls, and what is known about them. */
interface KnownCalls extends OpenStep {
  /** Ends the runs of calls that are not made again. */
  end(isDead: (callId: string) => boolean): Promise<void>;
  readonly settle: SettleCall;
  /** Returns the outcomes of calls, given the approvals of the run. */
  readonly lookup: (approvals: readonly Approval[]) => OutcomeLookup;
}

/** Reads the journal if a call needs it. A call that is made again is the next attempt of the one on record. */
async function recordedCalls(
  run: AgentRun,
  { journal, approvals }: OpenWork,
  count: number,
): Promise<Listing<JournalItem>> {
  if (count === 0) return { items: [], corrupt: [] };
  const recorded = await journal.entries(run.runId);
  const { journal: own } = run.session;
  if (own instanceof JournalOfRun) own.continueFrom(recorded.items, approvals.all);
  // A call is counted before its start is recorded.
  for (const item of recorded.items) {
    if (item.type === 'call' && item.status !== 'finished') run.session.countedCalls.add(item.entry.record.callId);
  }
  return recorded;
}

/**
 * Returns a function that is true for a request of one of these calls if its tool had another definition: no call can use its decision,
 * which would wake the run again and again.
 */
function isForOtherDefinition(
  calls: readonly { readonly id: string }[],
  { registry }: Pick<ToolInvoker, 'registry'>,
): (request: ApprovalRequest) => boolean {
  return (request) => {
    const tool = registry.get(request.tool);
    const isOfCall = calls.some(({ id }) => id === request.callId);
    // Its work outside has begun, and the definition of today does not change that.
    if (request.completion !== undefined) return false;
    return isOfCall && tool !== undefined && toolDigest(tool) !== request.toolDigest;
  };
}

function canRepeatIn({ registry }: Pick<ToolInvoker, 'registry'>): (name: string) => boolean {
  return (name) => {
    const tool = registry.get(name);
    return canReconcile(tool) || (tool !== undefined && isLocalTool(tool) && tool.idempotent === true);
  };
}

// The approvals of jobs wait for a decision while the calls of the step end.
function sparing(approvals: RunApprovals, isOfJob: (callId: string) => boolean): RunApprovals {
  return {
    ...approvals,
    withdraw: (isDead, reason) => approvals.withdraw((request) => !isOfJob(request.callId) && isDead(request), reason),
  };
}

/** Returns the results of the calls that were open when the process ended, in the order of the calls. */
async function resultsOf(
  run: AgentRun,
  { calls, reason, isCounted, lookup, settle, approvals, end }: KnownCalls,
): Promise<readonly ToolResultBlock[]> {
  const canRepeat = lookup(approvals.all);
  const kept = calls.filter((call) => canRepeat(call) === undefined);
  // Before the model reads that the others did not run, so that no decision can make that false.
  const settled = await approvals.withdraw(({ callId }) => !kept.some((call) => isCallWithin(callId, call)), abandoned);
  await end((callId) => !kept.some((call) => isCallWithin(callId, call)));
  const outcomeOf = lookup(settled);
  for (const call of calls) {
    const outcome = outcomeOf(call);
    if (outcome !== undefined) await settle(call, outcome);
  }
  const stepCalls = new StepCalls(run);
  run.calls = stepCalls;
  const results = new Map<string, ToolResultBlock>();
  for (const call of calls) {
    const outcome = outcomeOf(call);
    if (outcome === undefined) stepCalls.add(call, { isCounted });
    else {
      if (!isCounted) run.budget?.countCall();
      if (run.hasJobs) run.jobs.finish(call.id, outcome);
      results.set(call.id, modelResult(call, outcome));
    }
  }
  await stepCalls.finish(reason);
  // A script that ran again may have made other calls.
  const ended = kept.filter(({ id }) => !run.jobs.isActive(id));
  if (!isSuspended(run)) {
    await approvals.withdraw(({ callId }) => ended.some((call) => isCallWithin(callId, call)), abandoned);
  }
  for (const result of stepCalls.collectResults()) results.set(result.toolUseId, result);
  return calls.flatMap(({ id }) => results.get(id) ?? []);
}
