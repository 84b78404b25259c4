import { isKernelError } from '@ravi/kernel';
import type { ApprovalRequest, NewRun } from '@ravi/kernel';

/** Fields of everything that belongs to the one session of these tests. */
export const place = { principal: 'ada', sessionId: 'session-1', createdAt: 1 };

/** Returns a run of an agent, or of a sub-agent that works for a call of the run above it. */
export function runOf(id: string, parentRunId?: string, callId?: string): NewRun {
  return {
    ...place,
    id,
    definition: { kind: 'agent', ...(callId === undefined ? {} : { details: { callId } }) },
    ...(parentRunId === undefined ? {} : { parentRunId }),
  };
}

/** Returns a request for approval of a call; its id names both. */
export function requestOf(runId: string, callId: string, expiresAt: number = Number.MAX_SAFE_INTEGER): ApprovalRequest {
  return {
    id: `${runId}-${callId}`,
    runId,
    callId,
    sessionId: 'session-1',
    principal: 'ada',
    tool: 'write',
    description: 'Writes a file.',
    args: { path: 'notes.md' },
    toolDigest: 'd',
    argsDigest: 'a',
    risk: 'high',
    requestedAt: 1,
    expiresAt,
  };
}

/** Runs the work. Only a conflict is an expected end, and gives `undefined`; a deadlock of the database is not. */
export async function tolerant<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!isKernelError(error, 'E_STATE_CONFLICT')) throw error;
    return undefined;
  }
}
