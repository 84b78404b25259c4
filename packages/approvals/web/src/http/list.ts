import type { ApprovalStatus } from '@ravi/kernel';
import { mayDecideFor } from '../access/tokens.ts';
import { changeView, viewOf } from '../view.ts';
import { answer } from './answer.ts';
import type { Access, HttpServices } from './context.ts';
import { endOverdue } from './overdue.ts';
import { problem } from './problem.ts';

const statuses: ReadonlySet<string> = new Set<ApprovalStatus>(['pending', 'approved', 'denied', 'expired', 'consumed']);
const parameters: readonly string[] = ['status', 'runId', 'sessionId', 'limit', 'cursor'];
const maxLimit = 200;
const defaultLimit = 50;

/** `GET /v1/approvals`: what the approver may see, newest first, in pages. */
export async function listApprovals(url: URL, { approver }: Access, services: HttpServices): Promise<Response> {
  const { store, logger } = services;
  const query = readQuery(url.searchParams);
  const own = approver.roles.includes('approve') ? {} : { principal: approver.principal };
  const now = await endOverdue(services);
  // Before the list, so that a stream that goes on from here misses nothing.
  const sequence = await store.lastSequence();
  const { items, corrupt, next } = await store.list({ ...query.filter, ...own }, query.page);
  if (corrupt.length > 0) logger.error('approvals are damaged', { errors: corrupt });
  return answer(200, {
    approvals: items.map((approval) => viewOf(approval, { now, isWhole: false })),
    ...(next === undefined ? {} : { next }),
    unreadable: corrupt.length,
    sequence,
    now,
  });
}

/** `GET /v1/approvals/{id}`: everything about one approval, with its audit log. */
export async function readApproval(id: string, { approver }: Access, services: HttpServices): Promise<Response> {
  const { store } = services;
  const now = await endOverdue(services);
  const approval = await store.get(id);
  if (approval === undefined || !mayDecideFor(approver, approval.request.principal)) throw unknownApproval(id);
  const changes = await store.changes({ approvalId: id });
  return answer(200, {
    approval: viewOf(approval, { now, isWhole: true }),
    changes: changes.items.map(changeView),
    now,
  });
}

/** The same for what is not there and for what belongs to another. */
export function unknownApproval(id: string): Error {
  return problem('E_APPROVAL_UNKNOWN', `There is no approval "${id}"`);
}

function readQuery(search: URLSearchParams): {
  readonly filter: { readonly status?: ApprovalStatus; readonly runId?: string; readonly sessionId?: string };
  readonly page: { readonly limit: number; readonly cursor?: string };
} {
  const given = Object.fromEntries(search);
  const unknown = Object.keys(given).find((name) => !parameters.includes(name));
  if (unknown !== undefined) {
    throw problem('E_REQUEST_INVALID', `"${unknown}" is not a parameter; there are ${parameters.join(', ')}`);
  }
  const { status, limit = String(defaultLimit), cursor, ...rest } = given;
  if (status !== undefined && !statuses.has(status)) {
    throw problem('E_REQUEST_INVALID', `"status" must be one of ${[...statuses].join(', ')}`);
  }
  if (!/^[1-9]\d{0,2}$/.test(limit) || Number(limit) > maxLimit) {
    throw problem('E_REQUEST_INVALID', `"limit" must be a whole number from 1 to ${maxLimit}`);
  }
  return {
    filter: { ...rest, ...(status === undefined ? {} : { status: status as ApprovalStatus }) },
    page: { limit: Number(limit), ...(cursor === undefined ? {} : { cursor }) },
  };
}
