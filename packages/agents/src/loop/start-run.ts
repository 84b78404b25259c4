import type { InvokerSession } from '@ravi/invoker';
import { KernelError, textBlock, textOf } from '@ravi/kernel';
import type { ModelMessage, Run } from '@ravi/kernel';
import { cutUtf8 } from '@ravi/support';
import type { AgentTask } from '../agent/agent-context.ts';
import type { AgentDefinition } from '../agent/agent-definition.ts';
import type { AgentEventSink } from '../agent/agent-event.ts';
import type { ApprovalMode, RunOptions } from '../agent/agent-options.ts';
import type { AgentResult } from '../agent/agent-result.ts';
import { snapshotOf } from '../agent/run-snapshot.ts';
import { appendMessage, Conversation, entryDetails, storeWaitOf } from '../conversation/conversation.ts';
import type { ChildOptions, ChildRunner } from './sub-agents.ts';
import { AgentRun } from './agent-run.ts';
import { openBudget, openSession } from './open-session.ts';
import { runAgent } from './run-agent.ts';
import { queueRun } from './run-record.ts';

/** Parameters of {@link startRun}. */
export interface Start {
  readonly task: AgentTask;
  readonly options: RunOptions;
  readonly children: ChildRunner<AgentRun>;
  readonly emit?: AgentEventSink;
  /** Receives the run before its first step. */
  readonly onStart?: (run: AgentRun) => void;
}

/** Runs a task from its beginning. @throws KernelError `E_CONFIG_INVALID` for invalid options */
export function startRun(definition: AgentDefinition, start: Start): Promise<AgentResult> {
  let run: AgentRun;
  try {
    run = openRun(definition, start);
  } catch (error) {
    return Promise.reject(error);
  }
  return runAgent(run, appendTask, start.task);
}

/**
 * Stores the run of a task that is text, for a process that begins it later with `recover`.
 * @throws KernelError `E_CONFIG_INVALID` for invalid options, `E_SESSION_BUSY`, and those of the store
 */
export async function startLater(definition: AgentDefinition, start: Start & { readonly task: string }): Promise<Run> {
  const run = openRun(definition, start);
  await using _session = run.session;
  return queueRun(run);
}

function openRun(definition: AgentDefinition, { task, options, children, emit, onStart }: Start): AgentRun {
  const approvals = approvalModeOf(definition, options);
  const session = openSession(definition, { ...options, approvals }, emit);
  const run = new AgentRun({
    definition,
    session,
    conversation: conversationOf(definition, session, options.messages),
    budget: openBudget(definition, options.budget, undefined),
    emit,
    priority: 0,
    parent: undefined,
    approvals,
    children,
    title: titleOf(task),
    task: typeof task === 'string' ? task : undefined,
    resumedFrom: undefined,
  });
  onStart?.(run);
  return run;
}

/** Returns the approval mode of a run. @throws KernelError `E_CONFIG_INVALID` if the agent cannot continue a paused run */
export function approvalModeOf(
  definition: AgentDefinition,
  { approvals }: Pick<RunOptions, 'approvals'>,
): ApprovalMode {
  const { process, history, runs, approvals: configured, onApprovalExpiry } = definition;
  const mode = approvals ?? configured;
  const pauses = mode === 'pause' || onApprovalExpiry === 'park';
  if (!pauses || (process !== undefined && history !== undefined && runs !== undefined)) return mode;
  const option = mode === 'pause' ? "approvals: 'pause'" : "onApprovalExpiry: 'park'";
  throw new KernelError('E_CONFIG_INVALID', `${option} needs an agent with the options runs, history and process`);
}

/** Sub-agent whose run does not exist yet. */
export interface NewSubAgent {
  readonly parent: AgentRun;
  readonly task: string;
  readonly options: ChildOptions;
  readonly isResumable: boolean;
  readonly children: ChildRunner<AgentRun>;
}

/** Starts the run of a sub-agent. It has its own conversation; that of the session is the parent's. */
export function startSubAgent(
  definition: AgentDefinition,
  { parent, task, options, isResumable, children }: NewSubAgent,
): { readonly run: AgentRun; readonly result: Promise<AgentResult> } {
  const { runId, signal, parentCallId, priority = parent.priority, asksCaller = false, hasOwnTools = false } = options;
  const { callSession } = options;
  const { sessionId, principal } = parent;
  const outer = callSession ?? parent.session;
  // Its caller waits for a sub-agent that cannot be resumed.
  const approvals = isResumable ? parent.approvals : 'wait';
  const ends = signal === undefined ? {} : { signal };
  const session = openSession(
    definition,
    { runId, sessionId, principal, session: outer, ...(isResumable ? { approvals } : {}), ...ends },
    undefined,
    { hasOwnTools, ...(parentCallId === undefined ? {} : { parentCallId }) },
  );
  const { history: store } = definition;
  const place = isResumable && store !== undefined ? { store, principal, sessionId: runId } : undefined;
  const run = new AgentRun({
    definition,
    session,
    conversation: new Conversation([], place),
    budget: openBudget(definition, undefined, parent.budget),
    emit: undefined,
    priority,
    parent,
    parentCallId,
    callSession,
    isResumable,
    asksCaller,
    approvals,
    children,
    title: titleOf(task),
    task,
    resumedFrom: undefined,
  });
  return { run, result: runAgent(run, appendTask, task) };
}

const maxTitleBytes = 300;

async function appendTask(run: AgentRun, task: AgentTask): Promise<void> {
  const waitFor = storeWaitOf(run);
  await run.conversation.load(undefined, waitFor);
  return storeTask(run, task);
}

/** Appends the task of a run to its loaded conversation. */
export async function storeTask(run: AgentRun, task: AgentTask): Promise<void> {
  const waitFor = storeWaitOf(run);
  const unknown = 'This call has no result, and it is unknown whether it ran';
  await run.conversation.closeOpenCalls(unknown, entryDetails(run), waitFor);
  const content = typeof task === 'string' ? [textBlock(task)] : task;
  await appendMessage(
    run,
    { role: 'user', content },
    run.definition.process === undefined ? undefined : { isTask: true, ...snapshotOf(run) },
  );
}

function titleOf(task: AgentTask): string | undefined {
  const text = typeof task === 'string' ? task : textOf(task);
  const [line = ''] = text.trim().split('\n', 1);
  return line === '' ? undefined : cutUtf8(line, maxTitleBytes);
}

function conversationOf(
  { history }: AgentDefinition,
  { principal, sessionId }: InvokerSession,
  messages: readonly ModelMessage[] | undefined,
): Conversation {
  return new Conversation(messages, history === undefined ? undefined : { store: history, principal, sessionId });
}
