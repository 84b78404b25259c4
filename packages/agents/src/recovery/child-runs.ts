import type { SessionLease } from '@ravi/invoker';
import { liveRunStatuses } from '@ravi/kernel';
import type { Run, RunStore } from '@ravi/kernel';
import { readAllPages } from '@ravi/support';
import { agentKind } from '../loop/run-record.ts';

/** Runs below an interrupted run. */
export interface ChildRuns {
  /** Runs that do the work of a call and continue when it is made again: scripts and sub-agents, by the id of the call. */
  readonly byCall: ReadonlyMap<string, Run>;
  /** Runs that nothing can continue: sub-agents that keep their own stores, or that no call has started. */
  readonly lost: readonly Run[];
}

/** Reads the runs below a run. @throws KernelError from the store */
export async function readChildRuns(runs: RunStore | undefined, parentRunId: string): Promise<ChildRuns> {
  const byCall = new Map<string, Run>();
  const lost: Run[] = [];
  const below = runs === undefined ? [] : await readAllPages((page) => runs.list({ parentRunId }, page));
  for (const run of below) {
    const callId = callOf(run);
    if (callId !== undefined && canContinue(run)) byCall.set(callId, run);
    else lost.push(run);
  }
  return { byCall, lost };
}

/** Returns the call that a run works for. */
export function callOf({ definition }: Run): string | undefined {
  const callId = definition.details?.['callId'];
  return typeof callId === 'string' ? callId : undefined;
}

function canContinue({ definition: { kind, details } }: Run): boolean {
  return kind !== agentKind || details?.['isResumable'] === true;
}

/** Run above others. */
export interface RunAbove {
  readonly definition: { readonly runs: RunStore | undefined };
  readonly lease: SessionLease | undefined;
  now(): number;
}

/** Ends live runs whose calls will not be made again, and those that are lost, with their approvals. @throws KernelError from the store */
export async function endChildren(
  run: RunAbove,
  { byCall, lost }: ChildRuns,
  isDead: (callId: string) => boolean,
  reason: string,
): Promise<void> {
  const { definition, lease } = run;
  const error = { code: 'E_CANCELLED', message: reason, retryable: false };
  const above = lease === undefined ? {} : { above: lease.writer };
  const change = {
    from: liveRunStatuses,
    to: 'cancelled',
    now: run.now(),
    outcome: { error },
    ...above,
  } as const;
  const dead = [...byCall].flatMap(([callId, child]) => (isDead(callId) ? [child] : []));
  for (const {
    id,
    sessionId,
    definition: { kind },
    outcome: ended,
  } of [...dead, ...lost]) {
    if (ended !== undefined) continue;
    // The events of a script are those of its agent.
    const event = { type: 'run-end', runId: id, sessionId, status: 'cancelled', error } as const;
    await definition.runs?.transition(id, { ...change, ...(kind === agentKind ? { event } : {}) });
  }
}
