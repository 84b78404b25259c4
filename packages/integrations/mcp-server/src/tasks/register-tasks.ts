import { MissingRequiredClientCapabilityError } from '@modelcontextprotocol/server';
import type { ClientCapabilities, InputRequests, Result, Server, ServerContext } from '@modelcontextprotocol/server';
import { isLiveRun } from '@ravi/kernel';
import { answerableModes, decideWith, questionsFor } from '../approvals.ts';
import type { AskingModes } from '../approvals.ts';
import type { McpGateway } from '../gateway.ts';
import type { ServerMode } from '../offered-tools.ts';
import { resultOfRun } from '../run-script.ts';
import { listParams, taskParams } from './params.ts';
import { findTask, stateOf, taskOf2025, taskOf2026 } from './task-view.ts';
import type { TaskRun } from './task-view.ts';

/** Name of the extension of version 2026-07-28. */
export const tasksExtension = 'io.modelcontextprotocol/tasks';

/** Services of {@link registerTasks}. */
export interface TaskServices {
  readonly gatewayOf: (context: ServerContext) => McpGateway;
  readonly capabilitiesOf: (context: ServerContext) => ClientCapabilities | undefined;
  /** Returns the questions that a client can show. */
  readonly askingModes: (capabilities: ClientCapabilities | undefined) => AskingModes | undefined;
  /** Name of the tool that resumes a run. */
  readonly resumeTool: string;
  readonly mode: ServerMode;
}

const listed = 50;
const restMs = 500;

/** Serves the methods on tasks of both generations. A task is a durable run, so it outlives connection and process. */
export function registerTasks(server: Server, services: TaskServices): void {
  const { gatewayOf, capabilitiesOf, askingModes, resumeTool, mode } = services;

  server.setRequestHandler('tasks/get', { params: taskParams }, async ({ taskId }, context) => {
    const gateway = gatewayOf(context);
    const isModern = requireExtension(context);
    const run = await findTask(taskId, gateway);
    const questions = await questionsOf(run, context);
    const state = stateOf(run, questions !== undefined);
    if (!isModern) return taskOf2025(run, state);
    const task = taskOf2026(run, state);
    if (questions !== undefined) return { ...task, inputRequests: questions };
    return state === 'completed' ? { ...task, result: await resultOfRun(run.id, { gateway, resumeTool, mode }) } : task;
  });

  server.setRequestHandler('tasks/update', { params: taskParams }, async ({ taskId }, context) => {
    requireExtension(context);
    const gateway = gatewayOf(context);
    const { id } = await findTask(taskId, gateway);
    // The SDK takes the answers out of the parameters.
    await decideWith(context.mcpReq.inputResponses, id, gateway);
    return {};
  });

  server.setRequestHandler('tasks/cancel', { params: taskParams }, async ({ taskId }, context) => {
    const gateway = gatewayOf(context);
    const isModern = requireExtension(context);
    const run = await findTask(taskId, gateway);
    // It may have ended in the meantime.
    await gateway.cancel(run.id).catch(() => {});
    return isModern ? {} : taskOf2025(await findTask(taskId, gateway), 'cancelled');
  });

  server.setRequestHandler('tasks/result', { params: taskParams }, async ({ taskId }, context) => {
    const gateway = gatewayOf(context);
    const { id } = await findTask(taskId, gateway);
    const result = await waitForEnd(id, gateway, context);
    return { ...result, _meta: { ...result._meta, 'io.modelcontextprotocol/related-task': { taskId: id } } };
  });

  server.setRequestHandler('tasks/list', { params: listParams }, async ({ cursor }, context) => {
    const { items, next } = await gatewayOf(context).runs({
      limit: listed,
      ...(cursor === undefined ? {} : { cursor }),
    });
    const tasks = items.map((run) => taskOf2025(run, stateOf(run, false)));
    return next === undefined ? { tasks } : { tasks, nextCursor: next };
  });

  /** Returns true for a client of 2026-07-28. @throws MissingRequiredClientCapabilityError if it did not declare the extension */
  function requireExtension(context: ServerContext): boolean {
    if (context.mcpReq.envelope === undefined) return false;
    if (capabilitiesOf(context)?.extensions?.[tasksExtension] !== undefined) return true;
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [tasksExtension]: {} } } });
  }

  async function questionsOf({ id, status }: TaskRun, context: ServerContext): Promise<InputRequests | undefined> {
    const gateway = gatewayOf(context);
    const mayWait = status === 'paused' || status === 'running';
    const modes = mayWait ? await answerableModes(askingModes(capabilitiesOf(context)), gateway) : undefined;
    if (modes === undefined) return undefined;
    const pending = await gateway.pending(id);
    // Approvals of a run in progress pause it in a moment.
    const asked = status === 'paused' ? pending : pending.filter(({ elicitation }) => elicitation !== undefined);
    const questions = questionsFor(asked, modes);
    return Object.keys(questions).length === 0 ? undefined : questions;
  }

  // A client of 2025-11-25 waits here for the end, and is asked on the way.
  async function waitForEnd(runId: string, gateway: McpGateway, context: ServerContext): Promise<Result> {
    const { signal } = context.mcpReq;
    const refused = new Set<string>();
    for (;;) {
      const run = await findTask(runId, gateway);
      if (!isLiveRun(run.status)) break;
      if (!(await askOnce(run, refused, context))) await rest(signal);
    }
    return resultOfRun(runId, { gateway, resumeTool, mode });
  }

  async function askOnce(run: TaskRun, refused: Set<string>, context: ServerContext): Promise<boolean> {
    const questions = Object.entries((await questionsOf(run, context)) ?? {}).filter(([id]) => !refused.has(id));
    const gateway = gatewayOf(context);
    for (const [id, { method, params }] of questions) {
      if (method !== 'elicitation/create') continue;
      const answer = await context.mcpReq.elicitInput(params);
      if (!(await decideWith({ [id]: answer }, run.id, gateway))) refused.add(id);
    }
    return questions.length > 0;
  }
}

function rest(signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  return new Promise((resolve) => setTimeout(resolve, restMs));
}
