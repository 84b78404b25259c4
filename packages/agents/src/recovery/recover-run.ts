import { withRisksOf } from '@ravi/invoker';
import type { ToolInvoker } from '@ravi/invoker';
import { defineChainPolicy, isCallWithin, isKernelError, isLocalTool, KernelError, textOf } from '@ravi/kernel';
import type {
  Approval,
  HistoryStore,
  JournalItem,
  LeaseRequest,
  Listing,
  ModelStopReason,
  ModelUsage,
  Run,
  RunDefinition,
  RunStore,
  ToolResultBlock,
  ToolUseBlock,
} from '@ravi/kernel';
import type { AgentDefinition } from '../agent/agent-definition.ts';
import type { AgentEventSink } from '../agent/agent-event.ts';
import type { AgentResult } from '../agent/agent-result.ts';
import { narrowedPolicy, narrowTo, readBudgetRecord, readPermissions } from '../agent/run-snapshot.ts';
import type { Permissions } from '../agent/run-snapshot.ts';
import { modelResult } from '../conversation/model-result.ts';
import { openCalls } from '../conversation/join-messages.ts';
import { conversationIdOf } from '../conversation/conversation.ts';
import { noUsage } from '../conversation/model-response.ts';
import { readPause } from '../conversation/pause.ts';
import { waitForStore } from '../conversation/wait-for-store.ts';
import { AgentRun } from '../loop/agent-run.ts';
import type { RecoveryStores } from '../loop/agent-run.ts';
import type { StreamParts } from '../loop/agent-stream.ts';
import { RunJournal as JournalOfRun } from '../loop/run-journal.ts';
import { openBudget, openSession } from '../loop/open-session.ts';
import { announceEnd, appendToolResults, handleFinalAnswer, runAgent } from '../loop/run-agent.ts';
import { agentKind } from '../loop/run-record.ts';
import { isSuspended } from '../loop/suspension.ts';
import { storeTask } from '../loop/start-run.ts';
import type { ChildRunner } from '../loop/sub-agents.ts';
import { StepCalls } from '../loop/step-calls.ts';
import { endChildren, readChildRuns } from './child-runs.ts';
import { continueJobs, readInterruptedJobs, repeatedCalls } from './interrupted-jobs.ts';
import type { OutcomeLookup, SettleCall } from './interrupted-jobs.ts';
import { createOutcomeLookup } from './outcome-lookup.ts';
import { readRunApprovals } from './run-approvals.ts';
import type { RunApprovals } from './run-approvals.ts';
import { loadRunHistory } from './run-history.ts';
import { settleCall } from './settle-call.ts';
import type { RunHistory } from './run-history.ts';

/** Parameters of {@link recoverRun}. */
export interface RecoverParts extends StreamParts, RecoveryStores {
  readonly children: ChildRunner<AgentRun>;
}

/** The call of another run that a run works for. */
export interface Caller {
  readonly run: AgentRun;
  readonly callId: string | undefined;
  readonly priority: number;
}

/** A claimed run, and everything that is needed to continue it. */
export interface Continuation extends RecoveryStores {
  readonly row: Run;
  readonly wasPaused: boolean;
  readonly children: ChildRunner<AgentRun>;
  readonly signal?: AbortSignal | undefined;
  readonly emit?: AgentEventSink | undefined;
  readonly onStart?: ((run: AgentRun) => void) | undefined;
  /** Present for a sub-agent. */
  readonly caller?: Caller;
}

/** State of the interrupted run, as the stores have it. */
interface Interrupted extends Pick<RecoveryStores, 'journal'> {
  readonly history: RunHistory;
  readonly approvals: RunApprovals;
}

const abandoned = 'The process ended, and the run continued without this call';

/** Continues a run whose process ended. If its stored state cannot be used, the run ends as failed. */
export async function recoverRun(definition: AgentDefinition, row: Run, parts: RecoverParts): Promise<AgentResult> {
  const { runs, history: store, lease, invoker } = definition;
  if (runs === undefined || store === undefined || lease === undefined) {
    throw new KernelError('E_CONFIG_INVALID', 'recover needs an agent with the options runs, history and lease');
  }
  const { id: runId } = row;
  if (row.definition.kind !== agentKind || row.definition.details?.['agent'] !== definition.name) {
    throw new KernelError('E_CONFIG_INVALID', `Run ${runId} does not belong to agent "${definition.name}"`);
  }
  const claimed = await claimRun({ runs, lease, invoker }, runId);
  if (claimed === undefined) {
    throw new KernelError(
      'E_STATE_CONFLICT',
      `Run ${runId} cannot be resumed here: it has ended, or another process holds its lease`,
    );
  }
  return continueClaimed(definition, { ...parts, ...claimed });
}

/** Takes a run of an agent from a process that has ended, or out of its pause. Returns `undefined` if another process has it. */
export async function claimRun(
  {
    runs,
    lease,
    invoker,
  }: Pick<AgentDefinition, 'invoker'> & { readonly runs: RunStore; readonly lease: LeaseRequest },
  runId: string,
): Promise<{ readonly row: Run; readonly wasPaused: boolean } | undefined> {
  const row = await runs.claim(runId, lease);
  if (row === undefined) return undefined;
  const wasPaused = row.status === 'paused';
  const change = {
    from: ['paused'],
    to: 'running',
    owner: lease.owner,
    epoch: row.epoch,
    now: invoker.clock.now(),
  } as const;
  return wasPaused && !(await runs.transition(runId, change)) ? undefined : { row, wasPaused };
}

/** Continues a claimed run from its stored history. If its stored state cannot be used, the run ends as failed. */
export async function continueClaimed(definition: AgentDefinition, parts: Continuation): Promise<AgentResult> {
  const { row, journal, caller, signal } = parts;
  const { runs, history: store, invoker } = definition as AgentDefinition & { runs: RunStore; history: HistoryStore };
  const { id: runId, principal } = row;
  // Another process recovers an outermost run later. The call of a sub-agent is under way, so it waits for the store.
  const waitFor = <Value>(operation: () => Promise<Value>): Promise<Value> =>
    caller === undefined ? operation() : waitForStore(caller.run, operation, signal);
  try {
    const place = { store, principal, sessionId: conversationIdOf(row) };
    const history = await waitFor(() => loadRunHistory(place, runId));
    const { owner = '' } = row.lease ?? {};
    const writer = { runId, owner, epoch: row.epoch };
    const approvals = await waitFor(() => readRunApprovals(parts.approvals, writer, () => invoker.clock.now()));
    const run = restore(definition, history, parts);
    parts.onStart?.(run);
    return await runAgent(run, continueRun, waitingStores(run, { history, approvals, journal }));
  } catch (error) {
    const isForLater = isKernelError(error) && error.retryable;
    const isLeft = isForLater || caller?.run.session.cancellation.isCancelled === true;
    if (!isLeft) await waitFor(() => fail(runs, row, error, invoker.clock.now()));
    throw error;
  }
}

function restore(
  definition: AgentDefinition,
  history: RunHistory,
  { row, signal, emit, wasPaused, children, caller, journal, approvals: stored }: Continuation,
): AgentRun {
  const { id: runId, principal, sessionId, definition: recorded } = row;
  const { invoker } = definition;
  const permissions = history.permissions ?? permissionsAtStart(recorded);
  const policyAtStart = withRisksOf(invoker.policy, defineChainPolicy(recorded.policy));
  const policy = { ...policyAtStart, ...narrowedPolicy(policyAtStart, undefined, permissions) };
  const approvals = recorded.details?.['approvals'] === 'pause' ? 'pause' : 'wait';
  const ids = { runId, sessionId, principal };
  const ends = signal === undefined ? {} : { signal };
  const above = caller === undefined ? {} : { session: caller.run.session };
  const session = openSession(definition, { ...ids, ...ends, ...above, policy, approvals }, emit, {
    toolsEnabled: permissions.toolsEnabled,
    ...(caller?.callId === undefined ? {} : { parentCallId: caller.callId }),
  });
  narrowTo(session, permissions);
  const run = new AgentRun({
    definition,
    session,
    conversation: history.conversation,
    budget: openBudget(definition, limitsOf(history, recorded), caller?.run.budget, {
      spent: history.spent,
      usage: history.usageSince,
    }),
    emit,
    priority: caller?.priority ?? 0,
    parent: caller?.run,
    parentCallId: caller?.callId,
    isResumable: caller !== undefined,
    approvals,
    children,
    recovery: { journal, approvals: stored },
    title: undefined,
    task: taskOf(recorded),
    resumedFrom: { steps: history.steps, usage: history.usage, isRecovered: true, claimedEpoch: row.epoch, wasPaused },
  });
  run.skills.restore(history.skills, permissions.skillBounds);
  return run;
}

// The run is already under way, so it must not fail because its store is unavailable for a moment.
function waitingStores(run: AgentRun, { history, approvals, journal }: Interrupted): Interrupted {
  return {
    history,
    approvals: {
      all: approvals.all,
      withdraw: (isDead, reason) => waitForStore(run, () => approvals.withdraw(isDead, reason)),
    },
    journal: { entries: (runId) => waitForStore(run, () => journal.entries(runId)) },
  };
}

function taskOf({ details }: RunDefinition): string | undefined {
  const task = details?.['task'];
  return typeof task === 'string' ? task : undefined;
}

function limitsOf({ hasTask, limits }: RunHistory, { details }: RunDefinition): RunHistory['limits'] {
  return hasTask ? limits : readBudgetRecord(details?.['budget'])?.limits;
}

function permissionsAtStart({ details }: RunDefinition): Permissions {
  return readPermissions(details?.['permissions']);
}

async function continueRun(run: AgentRun, { history, approvals, journal }: Interrupted): Promise<void> {
  const { last, hasTask } = history;
  if (!hasTask && run.task !== undefined) return storeTask(run, run.task);
  if (!hasTask || last?.runId !== run.runId) throw lost(hasTask);
  const calls = last.details?.['pause'] === undefined ? openCalls(run.messages) : [];
  const { runs, invoker } = run.definition;
  const children = await waitForStore(run, () => readChildRuns(runs, run.runId));
  const jobs = await readInterruptedJobs(run, history.jobs);
  const recorded = await recordedCalls(run, journal, calls.length + jobs.announced.length);
  const lookup = (known: readonly Approval[]): OutcomeLookup =>
    createOutcomeLookup(run.runId, recorded, { children, approvals: known, isIdempotent: isIdempotentIn(invoker) });
  const repeated = repeatedCalls(jobs, lookup(approvals.all));
  const isOfJob = (callId: string): boolean => repeated.some((call) => isCallWithin(callId, call));
  // Calls of earlier steps have results, except those of jobs.
  const isDead = (callId: string): boolean => !isOfJob(callId) && !calls.some((call) => isCallWithin(callId, call));
  const settled = await approvals.withdraw(({ callId }) => isDead(callId), abandoned);
  const end = (callIsDead: (callId: string) => boolean): Promise<void> =>
    waitForStore(run, () => endChildren(run, children, callIsDead, abandoned));
  await end(isDead);
  if (last.details?.['pause'] !== undefined) {
    const state = readPause(last.details, run.sessionId);
    return run.end({ status: 'paused', reason: 'question', paused: { ...state, messages: [...run.messages] } });
  }
  const settle: SettleCall = (call, outcome) => settleCall(run, call, outcome, recorded);
  await continueJobs(run, jobs, { outcomeOf: lookup(settled), settle });
  const { stopReason: reason = 'end', usage = noUsage } = (last.details ?? {}) as ResponseDetails;
  // The other calls of the step ended before the run paused, and their message has the budget that was spent.
  const isCounted = last.message.role === 'user';
  if (calls.length > 0) {
    const open = { calls, reason, isCounted, lookup, settle, approvals: sparing(approvals, isOfJob) };
    const endDead = (isEnded: (callId: string) => boolean): Promise<void> =>
      end((callId) => !isOfJob(callId) && isEnded(callId));
    await appendToolResults(run, await resultsOf(run, { ...open, end: endDead }));
    return announceEnd(run, usage, calls.length);
  }
  if (last.message.role === 'user') return;
  run.text = textOf(last.message.content.filter((block) => block.type === 'text'));
  await handleFinalAnswer(run, reason);
  announceEnd(run, usage, 0);
}

/** The part of the details of a response that recovery needs. */
interface ResponseDetails {
  readonly stopReason?: ModelStopReason;
  readonly usage?: ModelUsage;
}

/** Calls to end, and what is known about them. */
interface OpenCalls extends Pick<Interrupted, 'approvals'> {
  readonly calls: readonly ToolUseBlock[];
  readonly reason: ModelStopReason;
  /** True if the budget of the run has counted the calls. */
  readonly isCounted: boolean;
  /** Ends the runs of calls that are not made again. */
  end(isDead: (callId: string) => boolean): Promise<void>;
  readonly settle: SettleCall;
  /** Returns the outcomes of calls, given the approvals of the run. */
  readonly lookup: (approvals: readonly Approval[]) => OutcomeLookup;
}

/** Reads the journal if a call needs it. A call that is made again is the next attempt of the one on record. */
async function recordedCalls(
  run: AgentRun,
  journal: Interrupted['journal'],
  count: number,
): Promise<Listing<JournalItem>> {
  if (count === 0) return { items: [], corrupt: [] };
  const recorded = await journal.entries(run.runId);
  const { journal: own } = run.session;
  if (own instanceof JournalOfRun) own.continueFrom(recorded.items);
  return recorded;
}

function isIdempotentIn({ registry }: Pick<ToolInvoker, 'registry'>): (name: string) => boolean {
  return (name) => {
    const tool = registry.get(name);
    return tool !== undefined && isLocalTool(tool) && tool.idempotent === true;
  };
}

// The approvals of jobs wait for a decision while the calls of the step end.
function sparing({ all, withdraw }: RunApprovals, isOfJob: (callId: string) => boolean): RunApprovals {
  return {
    all,
    withdraw: (isDead, reason) => withdraw((request) => !isOfJob(request.callId) && isDead(request), reason),
  };
}

/** Returns the results of the calls that were open when the process ended, in the order of the calls. */
async function resultsOf(
  run: AgentRun,
  { calls, reason, isCounted, lookup, settle, approvals, end }: OpenCalls,
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

function lost(hasTask: boolean): KernelError {
  const message = hasTask
    ? 'The process ended during this run, and its conversation has continued without it'
    : 'The process ended before the task of this run was stored. Start the run again';
  return new KernelError('E_RUN_LOST', message);
}

async function fail(runs: RunStore, { id, sessionId, lease, epoch }: Run, error: unknown, now: number): Promise<void> {
  const { code, message } = isKernelError(error)
    ? error
    : { code: 'E_INTERNAL', message: 'The run failed with an internal error' };
  const owner = lease === undefined ? {} : { owner: lease.owner, epoch };
  const outcome = { error: { code, message, retryable: false } };
  const event = { type: 'run-end', runId: id, sessionId, status: 'failed', error: { code, message } } as const;
  await runs.transition(id, { from: ['running'], to: 'failed', now, ...owner, outcome, event });
}
