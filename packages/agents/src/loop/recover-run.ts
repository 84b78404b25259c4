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
import { createLostOutcomes } from '../durable/lost-outcomes.ts';
import { readPause } from '../questions/pause.ts';
import type { AgentDefinition } from './agent-definition.ts';
import type { AgentResult } from './agent-result.ts';
import { AgentRun } from './agent-run.ts';
import type { StreamParts } from './agent-stream.ts';
import { modelResult } from './model-result.ts';
import { readPast } from './past.ts';
import type { Past } from './past.ts';
import { narrowedPolicy, narrowTo, readPermissions } from './permissions.ts';
import { end, runAgent, takeAnswer, takeResults } from './run-agent.ts';
import { agentKind } from './run-record.ts';
import type { Rights } from './standing.ts';
import { budgetOf, openSession, startChild } from './start-run.ts';
import { TurnCalls } from './turn-calls.ts';

/** A run to be taken over, and what it is followed with. */
export interface RecoverParts extends StreamParts {
  readonly journal: Pick<RunJournal, 'entries'>;
}

/** Goes on with a run whose process ended. What is wrong with what it left behind ends it as failed. */
export async function recoverRun(definition: AgentDefinition, row: Run, parts: RecoverParts): Promise<AgentResult> {
  const { runs, history, lease, invoker } = definition;
  if (runs === undefined || history === undefined || lease === undefined) {
    throw new KernelError('E_CONFIG_INVALID', 'Only an agent with runs, history and a lease goes on with runs');
  }
  const { id: runId, principal, sessionId } = row;
  if (row.definition.kind !== agentKind || row.definition.details?.['agent'] !== definition.name) {
    throw new KernelError('E_CONFIG_INVALID', `The run ${runId} is none of the agent ${definition.name}`);
  }
  const claimed = await runs.claim(runId, { ...lease, now: invoker.clock.now() });
  if (claimed?.status !== 'running') {
    throw new KernelError('E_STATE_CONFLICT', `The run ${runId} is not to be gone on with here at present`);
  }
  try {
    const past = await readPast({ store: history, principal, sessionId }, runId);
    const run = restore(definition, claimed, past, parts);
    parts.onStart(run);
    return await runAgent(run, goOn, { past, journal: parts.journal });
  } catch (error) {
    const isForLater = isKernelError(error) && error.retryable;
    if (!isForLater) await fail(runs, claimed, error, invoker.clock.now());
    throw error;
  }
}

function restore(definition: AgentDefinition, row: Run, past: Past, { signal, emit }: RecoverParts): AgentRun {
  const { id: runId, principal, sessionId, definition: recorded } = row;
  const { invoker } = definition;
  const { permissions, skillBounds } = past.rights ?? rightsAtStart(recorded);
  const policyAtStart = withRisksOf(invoker.policy, defineChainPolicy(recorded.policy));
  const policy = { ...policyAtStart, ...narrowedPolicy(policyAtStart, undefined, permissions) };
  const session = openSession(definition, { runId, sessionId, principal, policy, signal }, emit, {
    toolsEnabled: permissions.toolsEnabled,
  });
  narrowTo(session, permissions);
  const run = new AgentRun({
    definition,
    session,
    conversation: past.conversation,
    budget: budgetOf(definition, past.limits, undefined, { spent: past.spent, usage: past.usageSince }),
    emit,
    priority: 0,
    parent: undefined,
    startChild,
    title: undefined,
    before: { steps: past.steps, usage: past.usage, isTaken: true },
  });
  run.skills.restore(past.skills, skillBounds);
  return run;
}

function rightsAtStart({ details }: RunDefinition): Rights {
  return { permissions: readPermissions(details?.['permissions']), skillBounds: [] };
}

async function goOn(
  run: AgentRun,
  { past, journal }: Pick<RecoverParts, 'journal'> & { readonly past: Past },
): Promise<void> {
  const { last, hasTask } = past;
  if (run.parentRunId !== undefined || !hasTask || last?.runId !== run.runId) throw lost(hasTask);
  if (last.details?.['pause'] !== undefined) {
    const state = readPause(last.details, run.sessionId);
    return end(run, { status: 'paused', reason: 'question', paused: { ...state, messages: [...run.messages] } });
  }
  if (last.message.role === 'user') return;
  const calls = last.message.content.filter((block) => block.type === 'tool_use');
  const { stopReason: reason = 'end' } = (last.details ?? {}) as { readonly stopReason?: ModelStopReason };
  if (calls.length > 0) return takeResults(run, await settle(run, { calls, reason, journal }));
  run.text = textOf(last.message.content.filter((block) => block.type === 'text'));
  return takeAnswer(run, reason);
}

/** The results of calls that were open when the process ended, in their order. */
async function settle(
  run: AgentRun,
  {
    calls,
    reason,
    journal,
  }: Pick<RecoverParts, 'journal'> & { readonly calls: readonly ToolUseBlock[]; readonly reason: ModelStopReason },
): Promise<readonly ToolResultBlock[]> {
  const { runs } = run.definition;
  const children = await runs?.list({ parentRunId: run.runId }, { limit: 1 });
  const outcomeOf = createLostOutcomes(run.runId, await journal.entries(run.runId), {
    hadChildren: (children?.items.length ?? 0) > 0,
  });
  const turn = new TurnCalls(run);
  run.turn = turn;
  const results = new Map<string, ToolResultBlock>();
  for (const call of calls) {
    const outcome = outcomeOf(call);
    if (outcome === undefined) turn.add(call);
    else {
      run.budget?.takeCall();
      results.set(call.id, modelResult(call, outcome));
    }
  }
  await turn.finish(reason);
  for (const result of turn.takeResults()) results.set(result.toolUseId, result);
  return calls.flatMap(({ id }) => results.get(id) ?? []);
}

function lost(hasTask: boolean): KernelError {
  const message = hasTask
    ? 'The process ended during this run, and its conversation has gone on without it'
    : 'The process ended before the task of this run was on record. Start it again';
  return new KernelError('E_RUN_LOST', message);
}

async function fail(runs: RunStore, { id, lease }: Run, error: unknown, now: number): Promise<void> {
  const { code, message } = isKernelError(error)
    ? error
    : { code: 'E_INTERNAL', message: 'The run failed inside the runtime' };
  const owner = lease === undefined ? {} : { owner: lease.owner };
  const outcome = { error: { code, message, retryable: false } };
  await runs.transition(id, { from: ['running'], to: 'failed', now, ...owner, outcome });
}
