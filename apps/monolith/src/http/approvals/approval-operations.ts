import { api } from '@ravi/api';
import { implement, pageOf, Reply, resumeAfter } from '../core/implement.ts';
import type { Endpoint } from '../core/implement.ts';
import { approverOf } from './caller-approvals.ts';
import type { CallerApprovals } from './caller-approvals.ts';

const maxDecisionBytes = 1_048_576;

/**
 * Implements the operations on approvals. A caller sees and decides the requests of its own principal, with the role
 * `approve` or `admin` those of every principal.
 */
export function approvalOperations({ desk, streams }: CallerApprovals): readonly Endpoint[] {
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
    implement(
      api.approvals.decide,
      async ({ caller, params, body }) => {
        const result = await desk.decide(approverOf(caller), params.id, body);
        const { approval } = result;
        if (result.status === 'decided') return { approval };
        const { code, message } = result;
        return new Reply(code === 'E_APPROVAL_DECIDED' ? 409 : 410, { error: { code, message }, approval });
      },
      { maxBodyBytes: maxDecisionBytes },
    ),
  ];
}
