import { isKernelError, KernelError } from '@ravi/kernel';
import type { ModelMessage } from '@ravi/kernel';
import type { AgentDefinition } from '../agent/agent-definition.ts';
import type { ResumeOptions } from '../agent/agent-options.ts';
import type { AgentResult } from '../agent/agent-result.ts';
import type { QuestionAnswer, ResumePoint } from '../agent/paused-run.ts';
import { narrowedPolicy, narrowTo, snapshotOf } from '../agent/run-snapshot.ts';
import { appendMessage, Conversation } from '../conversation/conversation.ts';
import { answersOf, checkPause, checkPoint, readPause } from '../conversation/pause.ts';
import type { PauseState } from '../conversation/pause.ts';
import { AgentRun } from './agent-run.ts';
import { openBudget, openSession } from './open-session.ts';
import { runAgent } from './run-agent.ts';
import { approvalModeOf } from './start-run.ts';
import type { Start } from './start-run.ts';

/** Continues a paused run. */
export async function resumeRun(
  definition: AgentDefinition,
  {
    point,
    answer,
    options,
    children,
    emit,
    onStart,
  }: Pick<Start, 'children' | 'emit' | 'onStart'> & {
    readonly point: ResumePoint;
    readonly answer: QuestionAnswer;
    readonly options: ResumeOptions;
  },
): Promise<AgentResult> {
  const { state, conversation } = await readPoint(definition, point);
  const { runId, sessionId, principal, permissions, steps, usage, budget } = state;
  const limits = options.budget ?? budget?.limits;
  if (state.agent !== definition.name) {
    throw new KernelError(
      'E_CONFIG_INVALID',
      `Run ${runId} belongs to agent "${state.agent}", not to "${definition.name}"`,
    );
  }
  const answers = answersOf(state.questions, answer);
  const policy = { ...options.policy, ...narrowedPolicy(definition.invoker.policy, options.policy, permissions) };
  const approvals = approvalModeOf(definition, options);
  const session = openSession(definition, { ...options, runId, sessionId, principal, policy, approvals }, emit, {
    toolsEnabled: permissions.toolsEnabled,
  });
  narrowTo(session, permissions);
  const run = new AgentRun({
    definition,
    session,
    conversation,
    budget: openBudget(definition, limits, undefined, budget === undefined ? { usage } : { spent: budget.spent }),
    emit,
    priority: 0,
    parent: undefined,
    approvals,
    children,
    title: undefined,
    task: undefined,
    resumedFrom: { steps, usage },
  });
  run.skills.restore(permissions.skills, permissions.skillBounds);
  onStart?.(run);
  return runAgent(run, appendAnswers, { answers, state });
}

// If the store is unavailable, the question stays open and the answer can be sent again.
async function appendAnswers(
  run: AgentRun,
  { answers, state }: { readonly answers: ModelMessage; readonly state: PauseState },
): Promise<void> {
  const paused = { ...state, messages: [...run.messages] };
  try {
    await appendMessage(run, answers, snapshotOf(run));
  } catch (failure) {
    if (!isKernelError(failure) || !failure.retryable) throw failure;
    const { code, message, retryable } = failure;
    run.end({ status: 'paused', reason: 'question', paused, error: { code, message, retryable } });
  }
}

async function readPoint(
  definition: AgentDefinition,
  point: ResumePoint,
): Promise<{ readonly state: PauseState; readonly conversation: Conversation }> {
  const { history } = definition;
  const { sessionId, principal = 'local' } = point;
  if (history === undefined) {
    if (!('messages' in point)) {
      throw new KernelError('E_CONFIG_INVALID', `The agent has no history, so it cannot load session ${sessionId}`);
    }
    return { state: checkPause(point), conversation: new Conversation(point.messages) };
  }
  const conversation = new Conversation([], { store: history, principal, sessionId });
  const state = readPause(await conversation.load(), sessionId);
  checkPoint(point, state);
  return { state, conversation };
}
