import type { RunGrant } from '@ravi/agents';
import type { Approval, ApprovalStore } from '@ravi/kernel';

/** How the questions of a run stand. */
export interface RunApprovals {
  /** The ids of all of them. */
  readonly asked: ReadonlySet<string>;
  /** The ids of those that are pending no more. */
  readonly answered: ReadonlySet<string>;
  /** What was granted for the whole run. */
  readonly grants: readonly RunGrant[];
  readonly pending: readonly Approval[];
  /** Whether there is an answer that the run has not taken. */
  readonly hasAnswer: boolean;
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
    hasAnswer: approvals.some(({ status }) => status !== 'pending' && status !== 'consumed'),
  };
}

function idsOf(approvals: readonly Approval[]): ReadonlySet<string> {
  return new Set(approvals.map(({ request }) => request.id));
}

function isGrant({ status, answer }: Approval): boolean {
  return status === 'consumed' && answer?.decision === 'approved' && answer.scope === 'run';
}
