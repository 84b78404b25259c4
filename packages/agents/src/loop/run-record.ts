import { KernelError } from '@ravi/kernel';
import type { JsonObject, NewRun, Run, RunEventOf, RunOutcome, RunStatus, RunStore, RunTransition } from '@ravi/kernel';
import { storeNewRun, errorText, retryWhileUnavailable } from '@ravi/support';
import type { AgentEnding } from '../agent/agent-result.ts';
import { budgetRecordOf, changedPermissions } from '../agent/run-snapshot.ts';
import { waitForStore } from '../conversation/wait-for-store.ts';
import type { KeptLease } from '../process/kept-process.ts';
import type { AgentRun } from './agent-run.ts';
import { busySession, findLiveRun } from './busy-session.ts';
import { hasUnreadInput } from './run-inputs.ts';
import { isSuspended, suspend } from './suspension.ts';

/** Kind of an agent's runs in the run store, which may hold other kinds. */
export const agentKind: string = 'agent';

const statusOf: Readonly<Record<AgentEnding['status'], RunStatus>> = {
  completed: 'completed',
  stopped: 'completed',
  paused: 'paused',
  failed: 'failed',
  cancelled: 'cancelled',
};

/**
 * Notifies observers and the run store that a run starts or resumes. Only one of several processes can resume a run.
 * @throws KernelError of the store, `E_STATE_CONFLICT` if the run is no longer paused, `E_SESSION_BUSY` if the session of a run
 * with a process has another live run
 */
export async function beginRun(run: AgentRun): Promise<void> {
  const { agent } = run;
  // A queued run is stored already, so it is recorded before anything can end it.
  if (!run.wasQueued) await requireFreeSession(run);
  const resumed = run.isResumed || (run.isRecovered && !run.wasQueued) ? { isResumed: true } : {};
  const interrupted = run.wasInterrupted ? { wasInterrupted: true } : {};
  run.notify({ type: 'run-start', ...run.session.scope, kind: 'agent', agent, ...resumed, ...interrupted });
  const { runs } = run.definition;
  if (runs === undefined) return;
  const heldSince = run.isRecovered ? undefined : run.definition.invoker.clock.monotonic();
  const epoch = run.claimedEpoch ?? (await (run.isResumed ? claimPaused(run, runs) : createRun(run, runs)));
  run.isRecorded = true;
  run.lease = leaseOf(run, { epoch, heldSince });
  if (run.lease !== undefined) {
    run.session.holdLease(run.lease);
    const kept = run.isResumed || run.isRecovered ? run.session.storedScratchpad : undefined;
    if (kept !== undefined) await waitForStore(run, () => kept.restore());
  }
  // Of two runs that start at the same time, at most one continues.
  await requireFreeSession(run);
}

// Without a process a store may list runs as running whose process has ended.
async function requireFreeSession(run: AgentRun): Promise<void> {
  const { runs, process } = run.definition;
  const isFirst = !run.isResumed && (!run.isRecovered || run.wasQueued) && run.parentRunId === undefined;
  if (runs === undefined || process === undefined || !isFirst) return;
  // Before the run is stored, nothing has begun that the wait could keep.
  const live = await waitForStore(run, () => findLiveRun(runs, run));
  if (live !== undefined) throw busySession(live);
}

/**
 * Stores a run that no process executes yet, and returns it. Any process of the stores may begin it.
 * @throws KernelError of the store, `E_SESSION_BUSY` if the session has another live run
 */
export async function queueRun(run: AgentRun): Promise<Run> {
  const { runs, process, invoker } = run.definition;
  if (runs === undefined || process === undefined) {
    throw new KernelError('E_CONFIG_INVALID', 'A queued run needs an agent with the options runs, history and process');
  }
  await requireFreeSession(run);
  const row = rowOf(run);
  const stored = await storeNewRun({ runs, process }, { row }, { clock: invoker.clock, signal: run.signal });
  try {
    // Of two runs that are queued at the same time, at most one stays.
    await requireFreeSession(run);
  } catch (error) {
    const { code, message } = error as KernelError;
    const outcome = { error: { code, message, retryable: false } };
    const event = { type: 'run-end', ...run.session.scope, status: 'failed', error: { code, message } } as const;
    const change = { from: ['running'], to: 'failed', epoch: stored.epoch, now: run.now(), outcome, event } as const;
    // A process that has begun it checks the session too.
    await runs.transition(row.id, change);
    throw error;
  }
  return stored;
}

// Returns the epoch of the run.
async function createRun(run: AgentRun, runs: RunStore): Promise<number> {
  const { process } = run.definition;
  const row = rowOf(run);
  if (process === undefined) return (await runs.create(row)).epoch;
  const above = run.session.lease?.writer;
  const holder = { owner: process.id, ...(above === undefined ? {} : { above }) };
  const waiting = { clock: run.definition.invoker.clock, signal: run.signal };
  return (await storeNewRun({ runs, process }, { row, holder }, waiting)).epoch;
}

function rowOf(run: AgentRun): NewRun {
  const { runId, sessionId, agent, principal, title } = run;
  const { process } = run.definition;
  const now = run.now();
  const parent = run.parentRunId === undefined ? {} : { parentRunId: run.parentRunId };
  const called = run.parentCallId === undefined ? {} : { callId: run.parentCallId, isResumable: run.isResumable };
  const named = { agent, ...(title === undefined ? {} : { title }), ...called };
  // For another process that recovers the run.
  const permissions = process === undefined ? {} : changedPermissions(run);
  const policy = process === undefined ? {} : { policy: { ...run.session.policy } };
  const mode = process === undefined ? {} : { approvals: run.approvals };
  const beginning = process === undefined ? {} : beginningOf(run);
  const definition = { kind: agentKind, details: { ...named, ...mode, ...permissions, ...beginning }, ...policy };
  return { id: runId, principal, sessionId, definition, createdAt: now, ...parent };
}

// The process may end before the conversation has the task.
function beginningOf({ task, budget }: AgentRun): JsonObject {
  const record = budgetRecordOf(budget);
  return {
    ...(task === undefined ? {} : { task }),
    ...(record === undefined ? {} : { budget: record as unknown as JsonObject }),
  };
}

// Returns the epoch of the run.
async function claimPaused(run: AgentRun, runs: RunStore): Promise<number> {
  const { runId } = run;
  const { process } = run.definition;
  const conflict = (): KernelError =>
    new KernelError('E_STATE_CONFLICT', `Run ${runId} is not paused, or another caller is resuming it`);
  let isUncertain = false;
  const claim = async (): Promise<number> => {
    // A process that has resumed the run may have released it. The next one would wait for a process that does not continue it.
    const known = process === undefined || isUncertain ? undefined : await runs.get(runId);
    if (known !== undefined && known.status !== 'paused') throw conflict();
    await process?.started();
    const epoch = process === undefined ? 0 : (await runs.claim(runId, { owner: process.id }))?.epoch;
    const holder = process === undefined || epoch === undefined ? {} : { owner: process.id, epoch };
    const change = { from: ['paused'], to: 'running', now: run.now(), ...holder } as const;
    try {
      if (epoch !== undefined && (await runs.transition(runId, change))) return epoch;
    } catch (error) {
      isUncertain = true;
      throw error;
    }
    // An attempt that failed without a reply may have been written, and this process has the run.
    if (isUncertain && epoch !== undefined && (await runs.get(runId))?.status === 'running') return epoch;
    throw conflict();
  };
  if (process === undefined) return claim();
  return retryWhileUnavailable(claim, { clock: run.definition.invoker.clock, signal: run.signal });
}

function leaseOf(
  run: AgentRun,
  { epoch, heldSince }: { readonly epoch: Run['epoch']; readonly heldSince: number | undefined },
): KeptLease | undefined {
  const { process } = run.definition;
  return process?.hold(
    { runId: run.runId, owner: process.id, epoch },
    {
      ...(heldSince === undefined ? {} : { since: heldSince }),
      onLost() {
        run.isRecorded = false;
        suspend(run, 'Another process continues the run');
      },
    },
  );
}

/**
 * Stores that a run has ended or pauses, then notifies observers. Returns the event, and the ending: a run that another
 * process continues has not ended. Any other failure of the store does not change the ending. Returns `undefined` if the run has an
 * answer and an input that it has not read.
 */
export async function endRun(
  run: AgentRun,
  reached: AgentEnding,
): Promise<{ readonly event: EndEvent; readonly ending: AgentEnding } | undefined> {
  const ending = await storeEnd(run, reached);
  if (ending === undefined) return undefined;
  run.lease?.[Symbol.dispose]();
  const event = endEventOf(run, ending);
  run.definition.invoker.hooks.emit(event);
  return { event, ending };
}

/** Last event of a run. */
type EndEvent = RunEventOf<'run-end' | 'run-paused'>;

function endEventOf(run: AgentRun, { status, reason, error, paused, approvals }: AgentEnding): EndEvent {
  const { agent, step: steps, usage, text } = run;
  const { scope } = run.session;
  const progress = { agent, steps, usage };
  if (status === 'paused') {
    const questions = paused?.questions ?? [];
    if (approvals === undefined) return { type: 'run-paused', ...scope, ...progress, questions, reason: 'question' };
    return { type: 'run-paused', ...scope, ...progress, questions, reason: 'approval', approvals };
  }
  const failure = error === undefined ? {} : { error };
  return { type: 'run-end', ...scope, status, reason, text, ...progress, ...failure };
}

async function storeEnd(run: AgentRun, ending: AgentEnding): Promise<AgentEnding | undefined> {
  const { runs, process, logger } = run.definition;
  if (runs === undefined || !run.isRecorded) return ending;
  // Afterwards the store refuses them.
  await run.journal?.settled();
  try {
    if (process !== undefined && isSuspended(run) && ending.status !== 'paused') {
      await runs.release(run.runId, process.id, run.lease?.writer.epoch);
      return ending;
    }
    const recorded = recordedEnding(run, ending);
    const to = statusOf[recorded.status];
    const outcome = to === 'paused' ? {} : { outcome: outcomeOf(run, recorded) };
    const event = endEventOf(run, recorded);
    const change = {
      from: ['running'],
      to,
      now: run.now(),
      ...holderOf(run),
      ...readOf(run, recorded),
      ...outcome,
      event,
    } as const;
    const isStored = await waitForStore(run, () => storeChange(runs, run.runId, change), leavingSignal(run));
    if (!isStored && 'inputsRead' in change && (await hasUnreadInput(run))) return undefined;
    return isStored || process === undefined ? ending : suspendedEnding('Another process continues the run');
  } catch (failed) {
    if (isSuspended(run)) return suspendedEnding('The run is left to another process');
    logger.error('the end of a run was not stored', { runId: run.runId, error: errorText(failed) });
    return ending;
  }
}

// An attempt that failed without a reply may have been written.
async function storeChange(runs: RunStore, runId: string, change: RunTransition): Promise<boolean> {
  return (await runs.transition(runId, change)) || (await runs.get(runId))?.status === change.to;
}

// A cancelled run has to be stored as cancelled, so only a suspension ends the wait.
function leavingSignal(run: AgentRun): AbortSignal {
  const leaving = new AbortController();
  run.session.cancellation.onCancel(() => {
    if (isSuspended(run)) leaving.abort();
  });
  return leaving.signal;
}

function suspendedEnding(message: string): AgentEnding {
  return { status: 'cancelled', reason: 'cancelled', error: { code: 'E_RUN_SUSPENDED', message, retryable: false } };
}

function holderOf({ lease }: AgentRun): Pick<RunTransition, 'owner' | 'epoch'> {
  return lease === undefined ? {} : { owner: lease.writer.owner, epoch: lease.writer.epoch };
}

// An answer does not end a run whose user has sent more.
function readOf({ definition, conversation }: AgentRun, { reason }: AgentEnding): Pick<RunTransition, 'inputsRead'> {
  if (definition.inputs === undefined || reason !== 'answer') return {};
  return { inputsRead: conversation.lastInput };
}

// The caller of a sub-agent continues without the answer, so the question can no longer be answered.
function recordedEnding({ parentRunId, asksCaller }: AgentRun, ending: AgentEnding): AgentEnding {
  if (ending.status !== 'paused' || ending.reason === 'approval') return ending;
  if (parentRunId === undefined || asksCaller) return ending;
  const message = 'The sub-agent asked the user, and its caller continued without an answer';
  return { status: 'cancelled', reason: ending.reason, error: { code: 'E_CANCELLED', message, retryable: false } };
}

function outcomeOf({ text, budget, isResumable }: AgentRun, { reason, output, error }: AgentEnding): RunOutcome {
  // A caller that is recovered charges its budget with what the sub-agent has spent.
  const spent = budget === undefined || !isResumable ? {} : { spent: { ...budget.spent } };
  const result = { reason, text, ...(output === undefined ? {} : { output }), ...spent };
  return { result, ...(error === undefined ? {} : { error }) };
}
