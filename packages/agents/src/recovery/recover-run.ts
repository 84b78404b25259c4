import { withRisksOf } from '@ravi/invoker';
import type { InvokerSession } from '@ravi/invoker';
import { defineChainPolicy, isKernelError, KernelError, textOf } from '@ravi/kernel';
import type { HistoryStore, ModelStopReason, ModelUsage, Run, RunDefinition, RunStore, RunWriter } from '@ravi/kernel';
import { noUsage } from '@ravi/support';
import type { AgentDefinition } from '../agent/agent-definition.ts';
import type { AgentEventSink } from '../agent/agent-event.ts';
import type { AgentResult } from '../agent/agent-result.ts';
import { restoreFiles } from '../agent/run-files.ts';
import { narrowedPolicy, narrowTo, readBudgetRecord, readPermissions } from '../agent/run-snapshot.ts';
import type { Permissions } from '../agent/run-snapshot.ts';
import { openCalls } from '../conversation/join-messages.ts';
import { conversationIdOf } from '../conversation/conversation.ts';
import { answersOf, answersWithin, readPause } from '../conversation/pause.ts';
import { waitForStore } from '../conversation/wait-for-store.ts';
import { AgentRun } from '../loop/agent-run.ts';
import type { RecoveryStores } from '../agent/paused-run.ts';
import type { StreamParts } from '../loop/agent-stream.ts';
import { openBudget, openSession } from '../loop/open-session.ts';
import { announceEnd, appendToolResults, handleFinalAnswer, runAgent } from '../loop/run-agent.ts';
import { agentKind } from '../loop/run-record.ts';
import type { KeptProcess } from '../process/kept-process.ts';
import { storeTask } from '../loop/start-run.ts';
import type { ChildRunner } from '../loop/sub-agents.ts';
import { appendAnswers } from './append-answers.ts';
import { continueAnswered, continueCalls, pauseAgain } from './continue-calls.ts';
import { readRunApprovals, restoreGrants } from './run-approvals.ts';
import type { RunApprovals } from './run-approvals.ts';
import { loadRunHistory } from './run-history.ts';
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
  /** True if it asks the questions of the run. */
  readonly asksCaller: boolean;
  /** Session of the call, if a script of that run has made it. */
  readonly callSession: InvokerSession | undefined;
  /** True if the run may call tools that its caller may not. */
  readonly hasOwnTools: boolean;
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
  /** Answers to the questions of the run that its caller has received. */
  readonly answers: Readonly<Record<string, string>>;
}

/** Continues a run whose process ended. If its stored state cannot be used, the run ends as failed. */
export async function recoverRun(definition: AgentDefinition, row: Run, parts: RecoverParts): Promise<AgentResult> {
  const { runs, history: store, process, invoker } = definition;
  if (runs === undefined || store === undefined || process === undefined) {
    throw new KernelError('E_CONFIG_INVALID', 'recover needs an agent with the options runs, history and process');
  }
  const { id: runId } = row;
  if (row.definition.kind !== agentKind || row.definition.details?.['agent'] !== definition.name) {
    throw new KernelError('E_CONFIG_INVALID', `Run ${runId} does not belong to agent "${definition.name}"`);
  }
  const claimed = await claimRun({ runs, process, invoker }, runId);
  if (claimed === undefined) {
    throw new KernelError(
      'E_STATE_CONFLICT',
      `Run ${runId} cannot be resumed here: it has ended, or another process has it`,
    );
  }
  return continueClaimed(definition, { ...parts, ...claimed });
}

/** Takes a run of an agent from a process that has ended, or out of its pause. Returns `undefined` if another process has it. */
export async function claimRun(
  {
    runs,
    process,
    invoker,
    above,
  }: Pick<AgentDefinition, 'invoker'> & {
    readonly runs: RunStore;
    readonly process: KeptProcess;
    readonly above?: RunWriter | undefined;
  },
  runId: string,
): Promise<{ readonly row: Run; readonly wasPaused: boolean } | undefined> {
  await process.started();
  const owner = process.id;
  const row = await runs.claim(runId, { owner, ...(above === undefined ? {} : { above }) });
  if (row === undefined) return undefined;
  const wasPaused = row.status === 'paused';
  const change = {
    from: ['paused'],
    to: 'running',
    owner,
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
    const { owner = '' } = row;
    const writer = { runId, owner, epoch: row.epoch };
    const approvals = await waitFor(() => readRunApprovals(parts.approvals, writer, () => invoker.clock.now()));
    const run = restore(definition, history, parts);
    restoreGrants(run.session, approvals);
    parts.onStart?.(run);
    const answers = caller === undefined ? {} : answersWithin(caller.run.answers, caller.callId);
    return await runAgent(run, continueRun, { ...waitingStores(run, { approvals, journal }), history, answers });
  } catch (error) {
    const isForLater = isKernelError(error) && error.retryable;
    const isLeft = isForLater || caller?.run.session.cancellation.isCancelled === true;
    if (isLeft) await leave(runs, row);
    else await waitFor(() => fail(runs, row, error, invoker.clock.now()));
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
  const above = caller === undefined ? {} : { session: caller.callSession ?? caller.run.session };
  const session = openSession(definition, { ...ids, ...ends, ...above, policy, approvals }, emit, {
    toolsEnabled: permissions.toolsEnabled,
    hasOwnTools: caller?.hasOwnTools ?? false,
    ...(caller?.callId === undefined ? {} : { parentCallId: caller.callId }),
  });
  narrowTo(session, permissions, invoker.registry);
  restoreFiles(session, history.files);
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
    callSession: caller?.callSession,
    isResumable: caller !== undefined,
    asksCaller: caller?.asksCaller ?? false,
    approvals,
    children,
    recovery: { journal, approvals: stored },
    title: undefined,
    task: taskOf(recorded),
    resumedFrom: { steps: history.steps, usage: history.usage, isRecovered: true, claimedEpoch: row.epoch, wasPaused },
  });
  run.skills.restore(history.skills, permissions.skillBounds);
  run.answers = history.answers;
  return run;
}

/** Returns the approvals and the journal of a run that wait while the store is unavailable. */
export function waitingStores<Stores extends Pick<Interrupted, 'approvals' | 'journal'>>(
  run: AgentRun,
  { approvals, journal }: Stores,
): Pick<Interrupted, 'approvals' | 'journal'> {
  return {
    approvals: {
      ...approvals,
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

async function continueRun(run: AgentRun, { history, approvals, journal, answers }: Interrupted): Promise<void> {
  const { last, hasTask, jobs } = history;
  if (!hasTask && run.task !== undefined) return storeTask(run, run.task);
  if (!hasTask || last?.runId !== run.runId) throw lost(hasTask);
  const paused = last.details?.['pause'] === undefined ? undefined : readPause(last.details, run.sessionId);
  const open = { jobs, approvals, journal };
  if (paused !== undefined) {
    const answered = paused.questions.every(({ callId }) => Object.hasOwn(answers, callId));
    if (!answered) return pauseAgain(run, paused, open);
    await appendAnswers(run, { answers: answersOf(paused.questions, answers), state: paused });
    return continueAnswered(run, open);
  }
  const calls = openCalls(run.messages);
  const { stopReason: reason = 'end', usage = noUsage } = (last.details ?? {}) as ResponseDetails;
  // The other calls of the step ended before the run paused, and their message has the budget that was spent.
  const isCounted = last.message.role === 'user';
  const results = await continueCalls(run, { ...open, calls, reason, isCounted });
  if (calls.length > 0) {
    await appendToolResults(run, results);
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

function lost(hasTask: boolean): KernelError {
  const message = hasTask
    ? 'The process ended during this run, and its conversation has continued without it'
    : 'The process ended before the task of this run was stored. Start the run again';
  return new KernelError('E_RUN_LOST', message);
}

// The record of the run then says that this process did not crash.
async function leave(runs: RunStore, { id, owner, epoch }: Run): Promise<void> {
  if (owner !== undefined) await runs.release(id, owner, epoch).catch(() => false);
}

async function fail(runs: RunStore, { id, sessionId, owner, epoch }: Run, error: unknown, now: number): Promise<void> {
  const { code, message } = isKernelError(error)
    ? error
    : { code: 'E_INTERNAL', message: 'The run failed with an internal error' };
  const holder = owner === undefined ? {} : { owner, epoch };
  const outcome = { error: { code, message, retryable: false } };
  const event = { type: 'run-end', runId: id, sessionId, status: 'failed', error: { code, message } } as const;
  await runs.transition(id, { from: ['running'], to: 'failed', now, ...holder, outcome, event });
}
