import type { ApprovalDecision, ApprovalStatus } from '@ravi/kernel';
import { pageOf, pageQuery, resumeAfter } from '../core/operation.ts';
import type { Operation } from '../core/operation.ts';
import { approverOf } from './caller-approvals.ts';
import type { CallerApprovals } from './caller-approvals.ts';

const statuses: readonly ApprovalStatus[] = ['pending', 'approved', 'denied', 'expired', 'consumed'];
const decisions: readonly ApprovalDecision[] = ['approved', 'denied', 'skipped', 'modified'];
const id = { type: 'string', minLength: 1, maxLength: 100 } as const;
const maxDecisionBytes = 1_048_576;

/**
 * Operations on approvals. A caller sees and decides the requests of its own principal, with the role `approve` or
 * `admin` those of every principal.
 */
export function approvalOperations({ desk, streams }: CallerApprovals): readonly Operation[] {
  return [
    {
      method: 'get',
      path: '/v1/approvals',
      summary: 'List the approvals that the caller may decide, newest first.',
      query: { ...pageQuery, status: { enum: statuses }, runId: id, sessionId: id },
      answer(request) {
        const { limit: _limit, cursor: _cursor, ...filter } = request.query;
        return desk.list(approverOf(request.caller), filter, pageOf(request));
      },
    },
    // Before the operation with an id, because the first path that matches is served.
    {
      method: 'get',
      path: '/v1/approvals/events',
      summary: 'Stream the changes of approvals as server-sent events, from now or after Last-Event-ID.',
      query: { after: { type: 'integer', minimum: 0 } },
      async answer(request) {
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
      },
    },
    {
      method: 'get',
      path: '/v1/approvals/{id}',
      summary: 'Get an approval with all its arguments and its audit log.',
      answer: ({ caller, params }) => desk.read(approverOf(caller), params['id'] ?? ''),
    },
    {
      method: 'post',
      path: '/v1/approvals/{id}/decision',
      summary: 'Decide a pending approval. The first decision counts.',
      maxBodyBytes: maxDecisionBytes,
      body: {
        type: 'object',
        required: ['decision'],
        additionalProperties: false,
        properties: {
          decision: { enum: decisions },
          reason: { type: 'string', maxLength: 4_000, description: 'Shown to the model.' },
          modifiedArgs: { type: 'object', description: 'Arguments to run with, for "modified".' },
          scope: {
            enum: ['once', 'run'],
            description: 'With "run" it also approves later calls of the same tool in the run; default "once".',
          },
        },
      },
      async answer({ caller, params, body }) {
        const result = await desk.decide(approverOf(caller), params['id'] ?? '', body);
        const { approval } = result;
        if (result.status === 'decided') return { approval };
        const { code, message } = result;
        const status = code === 'E_APPROVAL_DECIDED' ? 409 : 410;
        return Response.json({ error: { code, message }, approval }, { status });
      },
    },
  ];
}
