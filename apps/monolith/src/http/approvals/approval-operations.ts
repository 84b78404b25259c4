import { api } from '@ravi/api';
import { createApprovalDesk, createApprovalEventStreams } from '@ravi/approval-kit';
import type { ApprovalDesk, ApprovalEventStreams, ApprovalServices, Approver, DecisionRules } from '@ravi/approval-kit';
import type { BlobStore } from '@ravi/kernel';
import { downloadName } from '@ravi/support';
import { headersOf } from '../blobs/media-type.ts';
import { implement, pageOf, Reply, resumeAfter } from '../core/implement.ts';
import type { Endpoint } from '../core/implement.ts';
import type { Caller } from '../access/caller.ts';

const maxDecisionBytes = 1_048_576;
const maxStreams = 1_000;
// A principal at its limit leaves places for the others.
const maxStreamsPerPrincipal = 200;
const heartbeatMs = 15_000;

/** Approvals that the callers of the server decide. */
export interface CallerApprovals {
  readonly desk: ApprovalDesk;
  readonly streams: ApprovalEventStreams;
}

/** Creates the approvals of callers over the state store of the server. */
export function createCallerApprovals(services: ApprovalServices, rules: DecisionRules): CallerApprovals {
  return {
    desk: createApprovalDesk(services, rules),
    streams: createApprovalEventStreams(services, {
      maxStreams,
      maxStreamsPerClient: maxStreamsPerPrincipal,
      heartbeatMs,
    }),
  };
}

/**
 * Implements the operations on approvals. A caller sees the requests of its own principal. With the role `approve` or `admin`
 * it sees and decides those of every principal.
 */
export function approvalOperations({ desk, streams }: CallerApprovals, blobStore: BlobStore): readonly Endpoint[] {
  return [
    implement(api.approvals.list, ({ query, caller }) => {
      const { limit: _limit, cursor: _cursor, ...filter } = query;
      return desk.list(approverOf(caller), filter, pageOf(query));
    }),
    // Before the operation with an id, because the first path that matches is served.
    implement(api.approvals.events, async (request) => {
      const after = resumeAfter(request);
      const approver = approverOf(request.caller);
      const from = after === undefined ? {} : { after };
      const body = await streams.open({ approver, clientId: approver.principal, ...from });
      const headers = {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      };
      return new Response(body, { headers });
    }),
    implement(api.approvals.get, ({ caller, params }) => desk.read(approverOf(caller), params.id)),
    implement(api.approvals.artifact, async ({ caller, params }) => {
      const { stat, content } = await desk.openArtifact(approverOf(caller), params, blobStore);
      return new Response(content, {
        headers: { ...headersOf(stat.mediaType, downloadName(stat)), 'content-length': String(stat.bytes) },
      });
    }),
    implement(
      api.approvals.decide,
      async ({ caller, params, body }) => {
        const result = await desk.decide(approverOf(caller), params.id, body);
        if (result.status === 'decided') return { approval: result.approval };
        const { code, message } = result;
        if (result.status === 'invalid') return new Reply(422, { error: { code, message }, problems: result.problems });
        const { approval } = result;
        return new Reply(code === 'E_APPROVAL_DECIDED' ? 409 : 410, { error: { code, message }, approval });
      },
      { maxBodyBytes: maxDecisionBytes },
    ),
  ];
}

/** Returns the caller as an approver: with the role `approve` or `admin` it decides for every principal. */
function approverOf({ principal, roles }: Caller): Approver {
  return { principal, mayDecide: roles.includes('approve') || roles.includes('admin') };
}
