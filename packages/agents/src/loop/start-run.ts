import type { InvokerSession, SessionOptions } from '@ravi/invoker';
import { isKernelError, KernelError, textBlock, textOf } from '@ravi/kernel';
import type { ModelMessage, ModelUsage } from '@ravi/kernel';
import { cutUtf8 } from '@ravi/support';
import { answersOf, checkPoint, readPause } from '../questions/pause.ts';
import type { PauseState } from '../questions/pause.ts';
import type { QuestionAnswer } from '../questions/paused-run.ts';
import { definitionOf } from './agent-definition.ts';
import type { AgentDefinition } from './agent-definition.ts';
import type { AgentEventSink } from './agent-event.ts';
import type { RunOptions } from './agent-options.ts';
import type { AgentResult } from './agent-result.ts';
import { AgentRun } from './agent-run.ts';
import { noUsage } from './answer.ts';
import { Budget, nothingSpent } from './budget.ts';
import type { BudgetLimits, BudgetSpent } from './budget.ts';
import { Conversation } from './conversation.ts';
import { narrowedPolicy, narrowTo } from './permissions.ts';
import type { AgentTask, ReActAgent, ResumeOptions, ResumePoint } from './react-agent.ts';
import { end, runAgent } from './run-agent.ts';
import type { ChildOptions } from './run-parts.ts';
import { standingOf } from './standing.ts';

/** A task and how it is run. */
export interface Start {
  readonly task: AgentTask;
  readonly options: RunOptions;
  readonly emit?: AgentEventSink;
  /** Gets the run before its first step. */
  readonly onStart?: (run: AgentRun) => void;
}

/** Runs a task from its beginning. @throws KernelError `E_CONFIG_INVALID` for options that no run can have */
export function startRun(definition: AgentDefinition, start: Start): Promise<AgentResult> {
  let run: AgentRun;
  try {
    run = openRun(definition, start);
  } catch (error) {
    return Promise.reject(error);
  }
  return runAgent(run, begin, start.task);
}

function openRun(definition: AgentDefinition, { task, options, emit, onStart }: Start): AgentRun {
  const session = openSession(definition, options, emit);
  const run = new AgentRun({
    definition,
    session,
    conversation: conversationOf(definition, session, options.messages),
    budget: budgetOf(definition, options.budget, undefined),
    emit,
    priority: 0,
    parent: undefined,
    startChild,
    title: titleOf(task),
    before: undefined,
  });
  onStart?.(run);
  return run;
}

/** Goes on with a paused run. */
export async function resumeRun(
  definition: AgentDefinition,
  {
    point,
    answer,
    options,
    emit,
    onStart,
  }: Pick<Start, 'emit' | 'onStart'> & {
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
      `The run ${runId} is of the agent ${state.agent}, not of ${definition.name}`,
    );
  }
  const answers = answersOf(state.questions, answer);
  const policy = { ...options.policy, ...narrowedPolicy(definition.invoker.policy, options.policy, permissions) };
  const session = openSession(definition, { ...options, runId, sessionId, principal, policy }, emit, {
    toolsEnabled: permissions.toolsEnabled,
  });
  narrowTo(session, permissions);
  const run = new AgentRun({
    definition,
    session,
    conversation,
    budget: budgetOf(definition, limits, undefined, budget === undefined ? { usage } : { spent: budget.spent }),
    emit,
    priority: 0,
    parent: undefined,
    startChild,
    title: undefined,
    before: { steps, usage },
  });
  run.skills.restore(permissions.skills);
  onStart?.(run);
  return runAgent(run, tell, { answers, state });
}

/** Starts an agent under a run. Its conversation is its own and ends with it; the session's is the parent's. */
export function startChild(
  parent: AgentRun,
  agent: ReActAgent,
  task: string,
  options: ChildOptions,
): Promise<AgentResult> {
  const definition = definitionOf(agent);
  const { runId, signal, parentCallId, priority = parent.priority } = options;
  const { sessionId, principal, session: outer } = parent;
  const session = openSession(
    definition,
    { runId, sessionId, principal, session: outer, ...(signal === undefined ? {} : { signal }) },
    undefined,
    parentCallId === undefined ? {} : { parentCallId },
  );
  const run = new AgentRun({
    definition,
    session,
    conversation: new Conversation(),
    budget: budgetOf(definition, undefined, parent.budget),
    emit: undefined,
    priority,
    parent,
    startChild,
    title: titleOf(task),
    before: undefined,
  });
  return runAgent(run, begin, task);
}

const maxTitleBytes = 300;

async function begin(run: AgentRun, task: AgentTask): Promise<void> {
  await run.conversation.load();
  await run.conversation.closeOpenCalls('This call was not answered, and whether it ran is unknown', run.turnDetails());
  const content = typeof task === 'string' ? [textBlock(task)] : task;
  await run.say(
    { role: 'user', content },
    run.definition.lease === undefined ? undefined : { isTask: true, ...standingOf(run) },
  );
}

// An answer that cannot be stored for now can be given again: the question stays open.
async function tell(
  run: AgentRun,
  { answers, state }: { readonly answers: ModelMessage; readonly state: PauseState },
): Promise<void> {
  const paused = { ...state, messages: [...run.messages] };
  try {
    await run.say(answers, standingOf(run));
  } catch (failure) {
    if (!isKernelError(failure) || !failure.retryable) throw failure;
    const { code, message, retryable } = failure;
    end(run, { status: 'paused', reason: 'question', paused, error: { code, message, retryable } });
  }
}

function titleOf(task: AgentTask): string | undefined {
  const text = typeof task === 'string' ? task : textOf(task);
  const [line = ''] = text.trim().split('\n', 1);
  return line === '' ? undefined : cutUtf8(line, maxTitleBytes);
}

/** A session as wide as the agent and the options allow, whose calls tell of their progress. */
export function openSession(
  definition: AgentDefinition,
  options: RunOptions,
  emit: AgentEventSink | undefined,
  more: SessionOptions = {},
): InvokerSession {
  const { session: parent, messages: _, budget: __, allowedTools, ...rest } = options;
  const session = definition.invoker.openSession({
    ...rest,
    ...more,
    ...(definition.lease === undefined ? {} : { hasStableQuestions: true }),
    // Within a session the agent's own limits hold too, not only that session's.
    ...(parent === undefined ? {} : { parent, policy: { ...definition.invoker.policy, ...options.policy } }),
    ...(emit === undefined
      ? {}
      : {
          onProgress(event) {
            if (event.type === 'tool-progress') emit(event);
          },
        }),
  });
  for (const list of [definition.allowedTools, allowedTools]) if (list !== undefined) session.narrow(list);
  return session;
}

function conversationOf(
  { history }: AgentDefinition,
  { principal, sessionId }: InvokerSession,
  messages: readonly ModelMessage[] | undefined,
): Conversation {
  return new Conversation(messages, history === undefined ? undefined : { store: history, principal, sessionId });
}

/** The budgets of agent and run inside of the parent's, with what was used before a pause or by a process that ended. */
export function budgetOf(
  { budget, prices, invoker, request, model }: AgentDefinition,
  limits: BudgetLimits | undefined,
  parent: Budget | undefined,
  before?: { readonly spent?: BudgetSpent; readonly usage?: ModelUsage },
): Budget | undefined {
  const { clock } = invoker;
  const priced = prices === undefined ? {} : { prices };
  let innermost = parent;
  for (const each of [budget, limits]) {
    if (each === undefined) continue;
    innermost = new Budget({ limits: each, isOfRun: each === limits, clock, parent: innermost, ...priced });
  }
  if (before !== undefined) {
    const { spent = nothingSpent, usage = noUsage } = before;
    innermost?.charge(spent, usage, request.model ?? model.id);
  }
  return innermost;
}

async function readPoint(
  definition: AgentDefinition,
  point: ResumePoint,
): Promise<{ readonly state: PauseState; readonly conversation: Conversation }> {
  const { history } = definition;
  const { sessionId, principal = 'local' } = point;
  if (history === undefined) {
    if (!('messages' in point)) {
      throw new KernelError('E_CONFIG_INVALID', `The agent has no history to read the session ${sessionId} from`);
    }
    return { state: point, conversation: new Conversation(point.messages) };
  }
  const conversation = new Conversation([], { store: history, principal, sessionId });
  const state = readPause(await conversation.load(), sessionId);
  checkPoint(point, state);
  return { state, conversation };
}
