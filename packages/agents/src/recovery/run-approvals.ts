import type { InvokerSession, RunGrant } from '@ravi/invoker';
import { runGrantsOf } from '@ravi/invoker/internal';
import { openApprovalStatuses } from '@ravi/kernel';
import { readPages } from '@ravi/support';
import type { Approval, ApprovalRequest, ApprovalStore, RunWriter } from '@ravi/kernel';

/** The part of an approval store that recovery uses. */
export type RecoveryApprovals = Pick<ApprovalStore, 'list' | 'withdraw' | 'consume'>;

/** Approvals of an interrupted run. */
export interface RunApprovals {
  /** Every approval that the run requested before it was interrupted, oldest first. */
  readonly all: readonly Approval[];
  /** Approvals for the whole run that it was given, also in its scripts. */
  readonly grants: readonly RunGrant[];
  /**
   * Withdraws the approvals of calls that will not take their decision: those that are open and that `isDead` selects. An
   * expired one is consumed instead, so that it does not wake the run again.
   * Returns all of them as they are afterwards.
   */
  withdraw(isDead: (request: ApprovalRequest) => boolean, reason: string): Promise<readonly Approval[]>;
}

/** Reads the approvals of a run that this process has claimed. Without a store it has none. @throws KernelError from the store */
export async function readRunApprovals(
  store: RecoveryApprovals | undefined,
  writer: RunWriter,
  now: () => number,
): Promise<RunApprovals> {
  const { runId } = writer;
  const all: Approval[] = [];
  const grants: RunGrant[] = [];
  const known = store === undefined ? [] : readPages((page) => store.list({ runId }, page));
  for await (const { items } of known) {
    // Those of the runs below are theirs. A question of a running call says nothing about its approval, and the claim has withdrawn it.
    const own = items.filter(({ request }) => request.runId === runId && request.elicitation === undefined);
    all.unshift(...own.toReversed());
    grants.push(...runGrantsOf(items, runId));
  }

  // An approval that was settled in the meantime stays as it is. Only consuming ends an expired one.
  async function settle(approval: Approval, reason: string): Promise<Approval> {
    const { request, status } = approval;
    const { id, callId } = request;
    const consumer = `${runId}:${callId}`;
    const outcome =
      status === 'expired'
        ? await store?.consume(id, request, { consumer, now: now(), writer })
        : await store?.withdraw(id, { now: now(), reason, writer });
    return outcome !== undefined && 'approval' in outcome ? outcome.approval : approval;
  }

  return {
    all,
    grants,
    async withdraw(isDead, reason) {
      const settled: Approval[] = [];
      for (const approval of all) {
        const canSettle = approval.status === 'expired' || openApprovalStatuses.includes(approval.status);
        const isOpen = canSettle && isDead(approval.request);
        settled.push(isOpen ? await settle(approval, reason) : approval);
      }
      return settled;
    },
  };
}

/** Gives a run that continues the approvals for the whole run that it had. A call that has asked takes the decision about it. */
export function restoreGrants({ grants }: InvokerSession, { all, grants: known }: RunApprovals): void {
  if (all.length > 0) grants.restore(known, new Set(all.map(({ request }) => request.callId)));
}

/** Returns what became of a call that needed approval and never started, for the model. */
export function neverStarted({ request, status, answer }: Approval): string {
  const by = answer?.approver === undefined ? '' : ` by ${answer.approver}`;
  const decision = answer === undefined ? undefined : `${answer.decision}${by}`;
  if (status === 'expired' || (status === 'consumed' && decision === undefined)) {
    return `${request.tool}: did not run, its approval expired`;
  }
  if (decision === undefined) return `${request.tool}: did not run, its approval was withdrawn before a decision`;
  const isApproved = answer?.decision === 'approved' || answer?.decision === 'modified';
  return `${request.tool}: did not run, ${isApproved ? 'although ' : ''}it was ${decision}`;
}
