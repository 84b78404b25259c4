import { KernelError, liveRunStatuses } from '@ravi/kernel';
import { readPages } from '@ravi/support';
import type { LiveRunStatus, Principal, Run, RunStore } from '@ravi/kernel';

/** Session of a run that is about to start. */
export interface SessionPlace {
  readonly principal: Principal;
  readonly sessionId: string;
  /** Id of the run itself, if it is stored already. */
  readonly runId?: string;
}

const agentKind = 'agent';

/**
 * Returns the run of an agent that a session is busy with: one that is live. Sub-agents and scripts do not count,
 * because they do not write to the conversation. @throws KernelError of the store
 */
export async function findLiveRun(
  runs: Pick<RunStore, 'list'>,
  { principal, sessionId, runId }: SessionPlace,
): Promise<Run | undefined> {
  for (const status of liveRunStatuses) {
    for await (const { items } of readPages((page) => runs.list({ principal, sessionId, status }, page))) {
      const live = items.find(
        ({ id, parentRunId, definition }) => id !== runId && parentRunId === undefined && definition.kind === agentKind,
      );
      if (live !== undefined) return live;
    }
  }
  return undefined;
}

const adviceFor: Readonly<Record<LiveRunStatus, string>> = {
  running: 'wait until it has ended, or cancel it first',
  paused: 'decide its approvals, answer its question or cancel it first',
  blocked: 'bring back what it needs and retry it, or cancel it first',
};

/** Returns the error for a session that is busy with a run. */
export function busySession({ id, sessionId, status }: Run): KernelError {
  const advice = adviceFor[status as LiveRunStatus] ?? adviceFor.running;
  return new KernelError('E_SESSION_BUSY', `Session ${sessionId} is busy: its run ${id} is ${status}; ${advice}`);
}
