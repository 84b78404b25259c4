import { createApprovalDesk, createApprovalEventStreams } from '@ravi/approval-kit';
import type { ApprovalDesk, ApprovalEventStreams, ApprovalServices, Approver } from '@ravi/approval-kit';
import type { Caller } from '../access/caller.ts';

/** Approvals that the callers of the server decide. */
export interface CallerApprovals {
  readonly desk: ApprovalDesk;
  readonly streams: ApprovalEventStreams;
}

const maxStreams = 1_000;
const heartbeatMs = 15_000;

/** Creates the approvals of callers over the state store of the server. */
export function createCallerApprovals(services: ApprovalServices): CallerApprovals {
  return {
    desk: createApprovalDesk(services),
    streams: createApprovalEventStreams(services, { maxStreams, maxStreamsPerClient: maxStreams, heartbeatMs }),
  };
}

/** Returns the caller as an approver: with the role `approve` or `admin` it decides for every principal. */
export function approverOf({ principal, roles }: Caller): Approver {
  return { principal, decidesForAll: roles.includes('approve') || roles.includes('admin') };
}
