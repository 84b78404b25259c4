import type { CallToolResult, Result, StandardSchemaV1 } from '@modelcontextprotocol/client';
import { KernelError } from '@ravi/kernel';
import type { Clock } from '@ravi/kernel';
import type { Connection } from '../connection/connection.ts';
import { shown } from '../connection/describe-failure.ts';
import { checkedResult } from './check-result.ts';
import { fulfil } from './input-required.ts';
import type { SampleModel } from './input-required.ts';
import type { RunningCall } from './running-call.ts';

const firstPollMs = 1_000;
const shortestPollMs = 100;
const longestPollMs = 30_000;
const noLimitMs = 2 ** 31 - 1;

/** State of a task, as either version of the protocol reports it. */
export interface TaskState {
  readonly taskId: string;
  readonly status: string;
  readonly statusMessage?: unknown;
  /** Version 2025-11-25. */
  readonly pollInterval?: unknown;
  /** Version 2026-07-28. */
  readonly pollIntervalMs?: unknown;
  readonly inputRequests?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** Returns the state of a task, if the value is one. */
export function taskStateOf(value: unknown): TaskState | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { taskId, status } = value as Partial<TaskState>;
  const isTask = typeof taskId === 'string' && taskId !== '' && typeof status === 'string';
  return isTask ? (value as TaskState) : undefined;
}

/** Parts of a call that runs as a task. */
export interface TaskParts {
  readonly connection: Connection;
  readonly call: RunningCall;
  readonly signal: AbortSignal;
  readonly sample: SampleModel | undefined;
}

/**
 * Waits for the result of a task: asks for its state in the pauses that the server wants, and answers what it asks. A call that ends
 * before cancels the task.
 * @throws KernelError `E_TOOL_FAILED` if the task failed or was cancelled by the server
 */
export async function runTask(first: TaskState, parts: TaskParts): Promise<CallToolResult> {
  const { taskId } = first;
  try {
    return await settle(first, parts);
  } catch (error) {
    if (parts.signal.aborted) void request(parts.connection, 'tasks/cancel', { taskId }).catch(() => undefined);
    throw error;
  }
}

async function settle(first: TaskState, { connection, call, signal, sample }: TaskParts): Promise<CallToolResult> {
  const { taskId } = first;
  const answered = new Set<string>();
  for (let task = first; ; task = await stateOf(connection, taskId, signal)) {
    if (typeof task.statusMessage === 'string') call.context.progress({ message: shown(task.statusMessage) });
    switch (task.status) {
      case 'completed':
        return task.result === undefined
          ? await resultOf(connection, taskId, signal)
          : checkedResult(task.result, connection.isModern);
      case 'failed':
      case 'cancelled': {
        const { message } = (task.error ?? {}) as { readonly message?: unknown };
        const why = typeof message === 'string' ? message : task.statusMessage;
        throw new KernelError(
          'E_TOOL_FAILED',
          `The task of the MCP server ${task.status}${why === undefined ? '' : `: ${shown(why)}`}`,
        );
      }
      case 'input_required':
        // The older version asks over the connection as soon as a client waits for the result.
        if (!connection.isModern) return await resultOf(connection, taskId, signal);
        await answerOnce(task, answered, { connection, call, signal, sample });
    }
    await pause(pollMs(task), call.context.clock, signal);
  }
}

// The server keeps a request until it has processed its answer, so each is answered once.
async function answerOnce(
  task: TaskState,
  answered: Set<string>,
  { connection, call, signal, sample }: TaskParts,
): Promise<void> {
  const all = (task.inputRequests ?? {}) as Readonly<Record<string, never>>;
  const open = Object.entries(all).filter(([key]) => !answered.has(key));
  if (open.length === 0) return;
  const answers = await fulfil({ resultType: 'input_required', inputRequests: Object.fromEntries(open) }, call, sample);
  await request(connection, 'tasks/update', { taskId: task.taskId, ...answers }, signal);
  for (const [key] of open) answered.add(key);
}

async function stateOf(connection: Connection, taskId: string, signal: AbortSignal): Promise<TaskState> {
  const state = taskStateOf(await request(connection, 'tasks/get', { taskId }, signal));
  if (state?.taskId === taskId) return state;
  throw new KernelError('E_OUTPUT_INVALID', 'The MCP server reported no state of the task');
}

async function resultOf(connection: Connection, taskId: string, signal: AbortSignal): Promise<CallToolResult> {
  return checkedResult(await request(connection, 'tasks/result', { taskId }, signal), connection.isModern);
}

function request(connection: Connection, method: string, params: object, signal?: AbortSignal): Promise<unknown> {
  return connection.client.request({ method, params: { ...params } }, anyResult, {
    timeout: noLimitMs,
    ...(signal === undefined ? {} : { signal }),
  });
}

/** Schema of results that are checked afterwards. */
export const anyResult: StandardSchemaV1<unknown, Result> = {
  '~standard': { version: 1, vendor: 'ravi', validate: (value) => ({ value: value as Result }) },
};

function pollMs({ pollIntervalMs, pollInterval }: TaskState): number {
  const wanted = [pollIntervalMs, pollInterval, firstPollMs].find((ms) => typeof ms === 'number' && ms >= 0) as number;
  return Math.min(longestPollMs, Math.max(shortestPollMs, wanted));
}

async function pause(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = clock.setTimer(() => resolve(), ms);
  const abort = (): void => resolve();
  signal.addEventListener('abort', abort, { once: true });
  try {
    if (!signal.aborted) await promise;
  } finally {
    timer.cancel();
    signal.removeEventListener('abort', abort);
  }
  signal.throwIfAborted();
}
