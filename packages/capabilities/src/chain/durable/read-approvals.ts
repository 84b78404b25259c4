import type { RunGrant } from '@ravi/invoker';
import type { Approval, ApprovalStore, StateStore } from '@ravi/kernel';

/** How the questions of a run stand. */
export interface RunApprovals {
  /** The ids of all of them. */
  readonly asked: ReadonlySet<string>;
  /** The ids of those that are pending no more. */
  readonly answered: ReadonlySet<string>;
  /** What was granted for the whole run. */
  readonly grants: readonly RunGrant[];
  readonly pending: readonly Approval[];
  /** The calls whose answers were taken. */
  readonly taken: readonly string[];
  /** Whether there is an answer that the run has not taken. */
  readonly hasAnswer: boolean;
}

/**
 * Whether a paused run has something to go on with: an answer that it has not taken, or one that it took just before it
 * was paused, so that its call is not on record.
 * @throws KernelError of the store
 */
export async function hasWork({ approvals, journal }: StateStore, runId: string): Promise<boolean> {
  const { hasAnswer, pending, taken } = await readApprovals(approvals, runId);
  if (hasAnswer || pending.length === 0) return true;
  if (taken.length === 0) return false;
  const { items } = await journal.entries(runId);
  const onRecord = new Set(items.map((item) => (item.type === 'call' ? item.entry.record.callId : undefined)));
  return taken.some((callId) => !onRecord.has(callId));
}

/** Reads every question of a run. @throws KernelError of the store */
export async function readApprovals(store: ApprovalStore, runId: string): Promise<RunApprovals> {
  const approvals: Approval[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.list({ runId }, cursor === undefined ? {} : { cursor });
    approvals.push(...page.items);
    cursor = page.next;
  } while (cursor !== undefined);
  return {
    asked: idsOf(approvals),
    answered: idsOf(approvals.filter(({ status }) => status !== 'pending')),
    grants: approvals.filter(isGrant).map(({ request: { tool, toolDigest, risk } }) => ({ tool, toolDigest, risk })),
    pending: approvals.filter(({ status }) => status === 'pending'),
    taken: approvals.filter(({ status }) => status === 'consumed').map(({ request }) => request.callId),
    hasAnswer: approvals.some(({ status }) => status !== 'pending' && status !== 'consumed'),
  };
}

function idsOf(approvals: readonly Approval[]): ReadonlySet<string> {
  return new Set(approvals.map(({ request }) => request.id));
}

function isGrant({ status, answer }: Approval): boolean {
  return status === 'consumed' && answer?.decision === 'approved' && answer.scope === 'run';
}
