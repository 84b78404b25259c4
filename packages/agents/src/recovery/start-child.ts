import { sha256OfJson } from '@ravi/invoker';
import type { Run, RunStore } from '@ravi/kernel';
import { noUsage } from '@ravi/support';
import { definitionOf } from '../agent/agent-definition.ts';
import type { AgentDefinition } from '../agent/agent-definition.ts';
import type { AgentEnding, AgentEndReason, AgentResult } from '../agent/agent-result.ts';
import type { BudgetSpent } from '../agent/budget.ts';
import { definitionWithin } from '../agent/caller-parts.ts';
import { conversationIdOf } from '../conversation/conversation.ts';
import { waitForStore } from '../conversation/wait-for-store.ts';
import type { AgentRun } from '../loop/agent-run.ts';
import { suspend } from '../loop/suspension.ts';
import { startSubAgent } from '../loop/start-run.ts';
import type { ChildOptions, ChildRunner } from '../loop/sub-agents.ts';
import { claimRun, continueClaimed } from './recover-run.ts';
import { resumeSubAgent } from './resume-run.ts';
import { loadRunHistory } from './run-history.ts';

const retryMs = 200;

/** Starts sub-agents as runs of their own, and resumes those that an earlier process has started. */
export const subAgents: ChildRunner<AgentRun> = {
  idOf(parent, { agent, task, parentCallId, ordinal }) {
    const paused = parentCallId === undefined ? undefined : parent.pausedSubAgents.get(parentCallId);
    if (paused !== undefined) return paused.runId;
    const { isResumable } = definitionWithin(parent.definition, definitionOf(agent));
    if (!isResumable || parentCallId === undefined) return `run_${crypto.randomUUID()}`;
    return `run_${sha256OfJson([parent.runId, parentCallId, agent.name, task, ordinal]).slice(0, 40)}`;
  },

  async start(parent, agent, task, options) {
    const { definition, isResumable } = definitionWithin(parent.definition, definitionOf(agent));
    const child = { definition, parent, task, options };
    const { parentCallId } = options;
    if (!isResumable || parentCallId === undefined) return askAbove(child, await startUnstored(child));
    const result = askAbove(child, await inTurn(child, () => startOrResume(child)), { isStored: true });
    // The caller must not read this as a failure: the process that continues it makes the call again.
    if (result.error?.code === 'E_RUN_SUSPENDED' && options.signal?.aborted !== true) {
      suspend(parent, 'A sub-agent continues in another process, or later');
    }
    return result;
  },
};

/** Sub-agent that a call starts or resumes. */
interface Child {
  /** As a sub-agent of its caller. */
  readonly definition: AgentDefinition;
  readonly parent: AgentRun;
  readonly task: string;
  readonly options: ChildOptions;
}

async function startNew(child: Child, isResumable: boolean): Promise<AgentResult> {
  const { definition, ...parts } = child;
  const options = { ...child.options, asksCaller: canAsk(child, isResumable) };
  const { run, result } = startSubAgent(definition, { ...parts, options, isResumable, children: subAgents });
  return closeBudget(run, await result);
}

// A sub-agent that keeps its runs in a store of its own cannot be resumed by its caller.
function canAsk({ definition: { process, runs }, options }: Child, isResumable: boolean): boolean {
  return options.asksCaller === true && (isResumable || (process === undefined && runs === undefined));
}

async function startUnstored(child: Child): Promise<AgentResult> {
  const { definition, parent, options } = child;
  const { parentCallId: callId, signal = parent.signal, priority = parent.priority } = options;
  const paused = callId === undefined ? undefined : parent.takePaused(callId);
  if (paused === undefined) return startNew(child, false);
  const { hasOwnTools = false, callSession } = options;
  const caller = { run: parent, callId, priority, hasOwnTools, callSession, asksCaller: canAsk(child, false) };
  const { run, result } = resumeSubAgent(definition, { paused, caller, options: { signal }, children: subAgents });
  return closeBudget(run, await result);
}

/** Lets the caller ask the questions of a sub-agent that has paused for them. */
function askAbove(child: Child, result: AgentResult, { isStored = false } = {}): AgentResult {
  const { parent, options } = child;
  const { parentCallId: callId } = options;
  const { status, reason, paused } = result;
  const isAsking = status === 'paused' && reason === 'question' && paused !== undefined && callId !== undefined;
  if (isAsking && canAsk(child, isStored)) parent.askFor(callId, paused, { isStored });
  return result;
}

// A run that continues later keeps its budget apart: its own record says what it has spent.
function closeBudget(run: AgentRun | undefined, result: AgentResult): AgentResult {
  if (result.status !== 'paused' && result.error?.code !== 'E_RUN_SUSPENDED') run?.budget?.close();
  return result;
}

async function startOrResume(child: Child): Promise<AgentResult> {
  const { definition, parent, options } = child;
  const { runId, parentCallId: callId, signal = parent.signal, priority = parent.priority } = options;
  const { runs, process, invoker } = definition;
  if (runs === undefined || process === undefined) return startNew(child, false);
  const above = parent.session.lease?.writer;
  const waitFor = <Value>(operation: () => Promise<Value>): Promise<Value> => waitForStore(parent, operation, signal);
  for (;;) {
    parent.check();
    signal.throwIfAborted();
    const known = await waitFor(() => runs.get(runId));
    if (known === undefined) return startNew(child, true);
    if (known.outcome !== undefined) return waitFor(() => recordedResult(child, known));
    const claimed = await waitFor(() => claimRun({ runs, process, invoker, above }, runId));
    if (claimed !== undefined) {
      const { journal = noJournal, approvals } = parent.recovery ?? {};
      const { hasOwnTools = false, callSession } = options;
      const caller = { run: parent, callId, priority, hasOwnTools, callSession, asksCaller: canAsk(child, true) };
      let run: AgentRun | undefined;
      const onStart = (started: AgentRun): void => void (run = started);
      const stores = { journal, approvals, children: subAgents };
      const result = await continueClaimed(definition, { ...claimed, ...stores, caller, signal, onStart });
      return closeBudget(run, result);
    }
    // A process that has died, and has also lost the run above, counts as dead soon.
    await pause(parent, signal);
  }
}

// A run that an earlier process started is only found by a run that was recovered itself.
const noJournal = { entries: async () => ({ items: [], corrupt: [] }) };

/** Runs of sub-agents that this process executes, by owner and id. */
const active = new WeakMap<RunStore, Map<string, Promise<unknown>>>();

// The run above was suspended here and continues here, before this process has let go of the sub-agent.
async function inTurn({ definition, options }: Child, work: () => Promise<AgentResult>): Promise<AgentResult> {
  const { runs, process } = definition;
  if (runs === undefined || process === undefined) return work();
  const all = active.get(runs) ?? new Map<string, Promise<unknown>>();
  active.set(runs, all);
  const key = `${process.id} ${options.runId}`;
  const before = all.get(key);
  const turn = (async () => {
    await before?.catch(() => {});
    return work();
  })();
  all.set(key, turn);
  try {
    return await turn;
  } finally {
    if (all.get(key) === turn) all.delete(key);
  }
}

const statusOf: Readonly<Record<string, AgentEnding['status']>> = { failed: 'failed', cancelled: 'cancelled' };

/** Returns the result of a sub-agent that has ended, and charges its caller with what it has spent. */
async function recordedResult({ definition, parent }: Child, row: Run): Promise<AgentResult> {
  const { history: store } = definition;
  const { id: runId, principal, sessionId, status, outcome } = row;
  const { text = '', reason = 'error', output, spent } = (outcome?.result ?? {}) as RecordedOutcome;
  const place = store === undefined ? undefined : { store, principal, sessionId: conversationIdOf(row) };
  const history = place === undefined ? undefined : await loadRunHistory(place, runId);
  if (spent !== undefined) parent.budget?.charge(spent, noUsage, '', parent.budget);
  return {
    runId,
    sessionId,
    status: statusOf[status] ?? (reason === 'answer' ? 'completed' : 'stopped'),
    reason,
    text,
    ...(output === undefined ? {} : { output }),
    ...(outcome?.error === undefined ? {} : { error: outcome.error }),
    messages: history?.conversation.messages ?? [],
    steps: history?.steps ?? 0,
    usage: history?.usage ?? noUsage,
    trace: [],
  };
}

/** The part of an outcome that a sub-agent stores. */
interface RecordedOutcome extends Pick<AgentEnding, 'output'> {
  readonly text?: string;
  readonly reason?: AgentEndReason;
  readonly spent?: BudgetSpent;
}

function pause({ definition }: AgentRun, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = definition.invoker.clock.setTimer(resolve, retryMs);
  const stop = (): void => resolve();
  signal.addEventListener('abort', stop, { once: true });
  return promise.finally(() => {
    timer.cancel();
    signal.removeEventListener('abort', stop);
  });
}
