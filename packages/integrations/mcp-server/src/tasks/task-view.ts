import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { Result } from '@modelcontextprotocol/server';
import type { Run } from '@ravi/kernel';
import type { McpGateway } from '../gateway.ts';
import { isId } from '../uris.ts';

/** State of a task. */
export type TaskState = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

/** Milliseconds between two polls that a client is advised to make. */
const pollIntervalMs = 1_000;

/** The run of a task. A task is a run of a script; its id is that of the run. */
export type TaskRun = Pick<Run, 'id' | 'status' | 'createdAt' | 'updatedAt' | 'definition'>;

/** Returns the run of a task of the caller. @throws ProtocolError for one that does not exist, or belongs to another caller */
export async function findTask(taskId: string, gateway: McpGateway): Promise<TaskRun> {
  const run = isId(taskId) ? await gateway.run(taskId).catch(unlessUnknown) : undefined;
  if (run?.definition.kind === 'chain') return run;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such task');
}

function unlessUnknown(error: unknown): undefined {
  if ((error as { readonly code?: unknown }).code !== 'E_RUN_NOT_FOUND') throw error;
}

/** Returns the state of a task; a paused run waits for input if its client can give it. */
export function stateOf({ status }: Pick<TaskRun, 'status'>, asksForInput: boolean): TaskState {
  if (status === 'cancelled') return 'cancelled';
  if (status === 'completed' || status === 'failed') return 'completed';
  return asksForInput ? 'input_required' : 'working';
}

/** Returns a task as version 2025-11-25 writes it. */
export function taskOf2025(run: TaskRun, status: TaskState): Result {
  return { ...fieldsOf(run, status), ttl: null, pollInterval: pollIntervalMs };
}

/** Returns a task as the extension for version 2026-07-28 writes it. */
export function taskOf2026(run: TaskRun, status: TaskState): Result {
  return { ...fieldsOf(run, status), ttlMs: null, pollIntervalMs };
}

const messages: Readonly<Partial<Record<Run['status'], string>>> = {
  paused: 'The run waits for a person',
  blocked: 'The run waits for a server that has what it needs',
};

function fieldsOf({ id, createdAt, updatedAt, status: runStatus }: TaskRun, status: TaskState): Result {
  const message = messages[runStatus];
  const waits = message === undefined ? {} : { statusMessage: message };
  return {
    taskId: id,
    status,
    ...waits,
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(updatedAt).toISOString(),
  };
}
