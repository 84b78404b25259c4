import { withRisksOf } from '@ravi/invoker';
import { defineChainPolicy, isKernelError, KernelError, textOf } from '@ravi/kernel';
import type {
  ModelStopReason,
  Run,
  RunDefinition,
  RunJournal,
  RunStore,
  ToolResultBlock,
  ToolUseBlock,
} from '@ravi/kernel';
import type { AgentDefinition } from '../agent/agent-definition.ts';
import type { AgentResult } from '../agent/agent-result.ts';
import { narrowedPolicy, narrowTo, readBudgetRecord, readPermissions } from '../agent/run-snapshot.ts';
import type { Permissions } from '../agent/run-snapshot.ts';
import { modelResult } from '../conversation/model-result.ts';
import { openCalls } from '../conversation/join-messages.ts';
import { readPause } from '../conversation/pause.ts';
import { waitForStore } from '../conversation/wait-for-store.ts';
import { AgentRun } from '../loop/agent-run.ts';
import type { StreamParts } from '../loop/agent-stream.ts';
import { openBudget, openSession } from '../loop/open-session.ts';
import { appendToolResults, handleFinalAnswer, runAgent } from '../loop/run-agent.ts';
import { agentKind, isSuspended } from '../loop/run-record.ts';
import { startChild, storeTask } from '../loop/start-run.ts';
import { StepCalls } from '../loop/step-calls.ts';
import { endScripts, readChildRuns } from './child-runs.ts';
import type { ChildRuns } from './child-runs.ts';
import { createOutcomeLookup } from './outcome-lookup.ts';
import { isWithin, readRunApprovals } from './run-approvals.ts';
import type { RecoveryApprovals, RunApprovals } from './run-approvals.ts';
import { loadRunHistory } from './run-history.ts';
import type { RunHistory } from './run-history.ts';

/** Parameters of {@link recoverRun}. */
export interface RecoverParts extends StreamParts {
  readonly journal: Pick<RunJournal, 'entries'>;
  readonly approvals?: RecoveryApprovals | undefined;
}

/** State of the interrupted run, as the stores have it. */
interface Interrupted extends Pick<RecoverParts, 'journal'> {
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
  const { id: runId, principal, sessionId } = row;
  if (row.definition.kind !== agentKind || row.definition.details?.['agent'] !== definition.name) {
    throw new KernelError('E_CONFIG_INVALID', `Run ${runId} does not belong to agent "${definition.name}"`);
  }
  const claimed = await runs.claim(runId, lease);
  const wasPaused = claimed?.status === 'paused';
  if (claimed === undefined || (wasPaused && !(await begin(runs, claimed, lease.owner, invoker.clock.now())))) {
    throw new KernelError(
      'E_STATE_CONFLICT',
      `Run ${runId} cannot be resumed here: it has ended, or another process holds its lease`,
    );
  }
  try {
    const history = await loadRunHistory({ store, principal, sessionId }, runId);
    const run = restore(definition, claimed, history, { ...parts, wasPaused });
    parts.onStart(run);
    const approvals = await readRunApprovals(parts.approvals, runId, () => invoker.clock.now());
    return await runAgent(run, continueRun, waitingStores(run, { history, approvals, journal: parts.journal }));
  } catch (error) {
    const isForLater = isKernelError(error) && error.retryable;
    if (!isForLater) await fail(runs, claimed, error, invoker.clock.now());
    throw error;
  }
}

async function begin(runs: RunStore, { id }: Run, owner: string, now: number): Promise<boolean> {
  return runs.transition(id, { from: ['paused'], to: 'running', owner, now });
}

function restore(
  definition: AgentDefinition,
  row: Run,
  history: RunHistory,
  { signal, emit, wasPaused }: RecoverParts & { readonly wasPaused: boolean },
): AgentRun {
  const { id: runId, principal, sessionId, definition: recorded } = row;
  const { invoker } = definition;
  const permissions = history.permissions ?? permissionsAtStart(recorded);
  const policyAtStart = withRisksOf(invoker.policy, defineChainPolicy(recorded.policy));
  const policy = { ...policyAtStart, ...narrowedPolicy(policyAtStart, undefined, permissions) };
  const approvals = recorded.details?.['approvals'] === 'pause' ? 'pause' : 'wait';
  const session = openSession(definition, { runId, sessionId, principal, policy, signal, approvals }, emit, {
    toolsEnabled: permissions.toolsEnabled,
  });
  narrowTo(session, permissions);
  const run = new AgentRun({
    definition,
    session,
    conversation: history.conversation,
    budget: openBudget(definition, limitsOf(history, recorded), undefined, {
      spent: history.spent,
      usage: history.usageSince,
    }),
    emit,
    priority: 0,
    parent: undefined,
    approvals,
    startChild,
    title: undefined,
    task: taskOf(recorded),
    resumedFrom: { steps: history.steps, usage: history.usage, isRecovered: true, wasPaused },
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
  if (run.parentRunId !== undefined || !hasTask || last?.runId !== run.runId) throw lost(hasTask);
  const calls = last.details?.['pause'] === undefined ? openCalls(run.messages) : [];
  // Calls of earlier steps have results, and jobs ended with their process.
  const isDead = (callId: string): boolean => !calls.some((call) => isWithin(callId, call));
  await approvals.withdraw(({ callId }) => isDead(callId), abandoned);
  const { runs } = run.definition;
  const children = await waitForStore(run, () => readChildRuns(runs, run.runId));
  await waitForStore(run, () => endScripts(runs, children, isDead, { now: run.now(), reason: abandoned }));
  if (last.details?.['pause'] !== undefined) {
    const state = readPause(last.details, run.sessionId);
    return run.end({ status: 'paused', reason: 'question', paused: { ...state, messages: [...run.messages] } });
  }
  const { stopReason: reason = 'end' } = (last.details ?? {}) as { readonly stopReason?: ModelStopReason };
  // The other calls of the step ended before the run paused, and their message has the budget that was spent.
  const isCounted = last.message.role === 'user';
  if (calls.length > 0) {
    return appendToolResults(run, await resultsOf(run, { calls, reason, isCounted, journal, approvals, children }));
  }
  if (last.message.role === 'user') return;
  run.text = textOf(last.message.content.filter((block) => block.type === 'text'));
  return handleFinalAnswer(run, reason);
}

/** Calls to end, and what is known about them. */
interface OpenCalls extends Omit<Interrupted, 'history'> {
  readonly calls: readonly ToolUseBlock[];
  readonly reason: ModelStopReason;
  /** True if the budget of the run has counted the calls. */
  readonly isCounted: boolean;
  readonly children: ChildRuns;
}

/** Returns the results of the calls that were open when the process ended, in the order of the calls. */
async function resultsOf(
  run: AgentRun,
  { calls, reason, isCounted, journal, approvals, children }: OpenCalls,
): Promise<readonly ToolResultBlock[]> {
  const recorded = await journal.entries(run.runId);
  const canRepeat = createOutcomeLookup(run.runId, recorded, { children, approvals: approvals.all });
  const kept = calls.filter((call) => canRepeat(call) === undefined);
  // Before the model reads that the others did not run, so that no decision can make that false.
  const settled = await approvals.withdraw(({ callId }) => !kept.some((call) => isWithin(callId, call)), abandoned);
  const outcomeOf = createOutcomeLookup(run.runId, recorded, { children, approvals: settled });
  const stepCalls = new StepCalls(run);
  run.calls = stepCalls;
  const results = new Map<string, ToolResultBlock>();
  for (const call of calls) {
    const outcome = outcomeOf(call);
    if (outcome === undefined) stepCalls.add(call, { isCounted });
    else {
      if (!isCounted) run.budget?.countCall();
      results.set(call.id, modelResult(call, outcome));
    }
  }
  await stepCalls.finish(reason);
  // A script that ran again may have made other calls.
  const ended = kept.filter(({ id }) => !run.jobs.isActive(id));
  if (!isSuspended(run)) {
    await approvals.withdraw(({ callId }) => ended.some((call) => isWithin(callId, call)), abandoned);
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

async function fail(runs: RunStore, { id, sessionId, lease }: Run, error: unknown, now: number): Promise<void> {
  const { code, message } = isKernelError(error)
    ? error
    : { code: 'E_INTERNAL', message: 'The run failed with an internal error' };
  const owner = lease === undefined ? {} : { owner: lease.owner };
  const outcome = { error: { code, message, retryable: false } };
  const event = { type: 'run-end', runId: id, sessionId, status: 'failed', error: { code, message } } as const;
  await runs.transition(id, { from: ['running'], to: 'failed', now, ...owner, outcome, event });
}
