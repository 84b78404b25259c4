import { KernelError } from '@ravi/kernel';
import type { AgentDefinition } from '../agent/agent-definition.ts';
import type { ResumeOptions } from '../agent/agent-options.ts';
import type { AgentResult } from '../agent/agent-result.ts';
import { readAnnouncedJobs } from '../agent/announced-jobs.ts';
import type { AnnouncedJob } from '../agent/announced-jobs.ts';
import type { PausedRun, QuestionAnswer, RecoveryStores, ResumePoint } from '../agent/paused-run.ts';
import { restoreFiles } from '../agent/run-files.ts';
import { narrowedPolicy, narrowTo } from '../agent/run-snapshot.ts';
import { Conversation } from '../conversation/conversation.ts';
import { openCalls } from '../conversation/join-messages.ts';
import { answersOf, answersWithin, checkPause, checkPoint, readPause } from '../conversation/pause.ts';
import type { Answers, PauseState } from '../conversation/pause.ts';
import { waitForStore } from '../conversation/wait-for-store.ts';
import { AgentRun } from '../loop/agent-run.ts';
import { openBudget, openSession } from '../loop/open-session.ts';
import { runAgent } from '../loop/run-agent.ts';
import { approvalModeOf } from '../loop/start-run.ts';
import type { Start } from '../loop/start-run.ts';
import { appendAnswers } from './append-answers.ts';
import { continueAnswered } from './continue-calls.ts';
import { waitingStores } from './recover-run.ts';
import type { Caller } from './recover-run.ts';
import { readRunApprovals, restoreGrants } from './run-approvals.ts';

/** Parameters of {@link resumeRun}. */
export interface Resumption extends Pick<Start, 'children' | 'emit' | 'onStart'> {
  readonly point: ResumePoint;
  readonly answer: QuestionAnswer;
  readonly options: ResumeOptions;
}

/** Continues a paused run. */
export async function resumeRun(
  definition: AgentDefinition,
  { point, answer, ...parts }: Resumption,
): Promise<AgentResult> {
  const { state, conversation, jobs } = await readPoint(definition, point);
  const answers = answersOf(state.questions, answer);
  const run = openPaused(definition, { ...parts, state, conversation });
  parts.onStart?.(run);
  return runAgent(run, continueWith, { answers, state, jobs, stores: parts.options.stores });
}

/** Sub-agent that paused without a store. */
export interface PausedSubAgent extends Pick<Resumption, 'children' | 'options'> {
  readonly paused: PausedRun;
  readonly caller: Caller;
}

/** Continues a sub-agent with the answers that its caller received. */
export function resumeSubAgent(
  definition: AgentDefinition,
  { paused, caller, ...parts }: PausedSubAgent,
): { readonly run: AgentRun; readonly result: Promise<AgentResult> } {
  const state = checkPause(paused);
  const answers = answersOf(state.questions, answersWithin(caller.run.answers, caller.callId));
  const run = openPaused(definition, { ...parts, state, conversation: new Conversation(paused.messages), caller });
  return { run, result: runAgent(run, continueWith, { answers, state, jobs: [], stores: undefined }) };
}

/** Paused run with its conversation. */
interface Opening extends Pick<Resumption, 'children' | 'emit' | 'options'> {
  readonly state: PauseState;
  readonly conversation: Conversation;
  readonly caller?: Caller;
}

function openPaused(
  definition: AgentDefinition,
  { state, conversation, options: { stores, ...options }, children, emit, caller }: Opening,
): AgentRun {
  const { runId, sessionId, principal, permissions, steps, usage, budget, subAgents = {} } = state;
  const limits = options.budget ?? budget?.limits;
  if (state.agent !== definition.name) {
    throw new KernelError(
      'E_CONFIG_INVALID',
      `Run ${runId} belongs to agent "${state.agent}", not to "${definition.name}"`,
    );
  }
  const policy = { ...options.policy, ...narrowedPolicy(definition.invoker.policy, options.policy, permissions) };
  const approvals = approvalModeOf(definition, options);
  const above = caller === undefined ? {} : { session: caller.callSession ?? caller.run.session };
  const session = openSession(
    definition,
    { ...options, ...above, runId, sessionId, principal, policy, approvals },
    emit,
    {
      toolsEnabled: permissions.toolsEnabled,
      hasOwnTools: caller?.hasOwnTools ?? false,
      ...(caller?.callId === undefined ? {} : { parentCallId: caller.callId }),
    },
  );
  narrowTo(session, permissions, definition.invoker.registry);
  restoreFiles(session, state.files ?? []);
  const spent = budget === undefined ? { usage } : { spent: budget.spent };
  const run = new AgentRun({
    definition,
    session,
    conversation,
    budget: openBudget(definition, limits, caller?.run.budget, spent),
    emit,
    priority: caller?.priority ?? 0,
    parent: caller?.run,
    parentCallId: caller?.callId,
    callSession: caller?.callSession,
    asksCaller: caller?.asksCaller ?? false,
    approvals,
    children,
    recovery: stores,
    title: undefined,
    task: undefined,
    resumedFrom: { steps, usage },
  });
  run.skills.restore(permissions.skills, permissions.skillBounds);
  run.pausedSubAgents = new Map(Object.entries(subAgents));
  for (const callId of run.pausedSubAgents.keys()) session.countedCalls.add(callId);
  return run;
}

/** Answers of a user, and the work that the run left open. */
interface Answered {
  readonly answers: Answers;
  readonly state: PauseState;
  readonly jobs: readonly AnnouncedJob[];
  readonly stores: RecoveryStores | undefined;
}

const noJournal: RecoveryStores['journal'] = { entries: async () => ({ items: [], corrupt: [] }) };

async function continueWith(run: AgentRun, { answers, state, jobs, stores }: Answered): Promise<void> {
  await appendAnswers(run, { answers, state });
  if (run.ending !== undefined) return;
  const { journal = noJournal, approvals: stored } = stores ?? {};
  const writer = run.writer ?? { runId: run.runId, owner: '', epoch: 0 };
  const kept = run.lease === undefined ? undefined : stored;
  const approvals = await waitForStore(run, () => readRunApprovals(kept, writer, () => run.now()));
  restoreGrants(run.session, approvals);
  if (jobs.length === 0 && openCalls(run.messages).length === 0) return;
  await continueAnswered(run, { ...waitingStores(run, { journal, approvals }), jobs });
}

/** Paused run as a caller or a store has it. */
interface FoundPause {
  readonly state: PauseState;
  readonly conversation: Conversation;
  readonly jobs: readonly AnnouncedJob[];
}

async function readPoint({ history }: AgentDefinition, point: ResumePoint): Promise<FoundPause> {
  const { sessionId, principal = 'local' } = point;
  if (history === undefined) {
    if (!('messages' in point)) {
      throw new KernelError('E_CONFIG_INVALID', `The agent has no history, so it cannot load session ${sessionId}`);
    }
    return { state: checkPause(point), conversation: new Conversation(point.messages), jobs: [] };
  }
  const conversation = new Conversation([], { store: history, principal, sessionId });
  const details = await conversation.load();
  const state = readPause(details, sessionId);
  checkPoint(point, state);
  return { state, conversation, jobs: readAnnouncedJobs(details ?? {}) ?? [] };
}
