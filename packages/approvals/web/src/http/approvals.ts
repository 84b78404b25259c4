import type { DecisionRules } from '@ravi/approval-kit';
import { approvalTransitions } from '@ravi/kernel';
import type { ApprovalFilter, BlobStore, JsonObject } from '@ravi/kernel';
import { answer, safeHeaders, problem, refuse } from './responses.ts';
import type { Access, HttpServices } from './context.ts';
import { readBody } from './read-body.ts';

const statuses: ReadonlySet<string> = new Set([...Object.keys(approvalTransitions), 'undecided']);
const parameters: readonly string[] = ['status', 'runId', 'sessionId', 'limit', 'cursor'];
const maxLimit = 200;
const defaultLimit = 50;

/** Handles `GET /v1/approvals`: the approvals that the approver may see, newest first, in pages. */
export async function listApprovals(url: URL, { approver }: Access, { desk }: HttpServices): Promise<Response> {
  const { filter, page } = readQuery(url.searchParams);
  return answer(200, await desk.list(approver, filter, page));
}

/** Handles `GET /v1/approvals/{id}`: one approval with all its arguments and its audit log. */
export async function readApproval(id: string, { approver }: Access, { desk }: HttpServices): Promise<Response> {
  return answer(200, await desk.read(approver, id));
}

/** Handles `POST /v1/approvals/{id}/decision`. The response to a late decision has the approval as it is,
 * the one to invalid arguments their problems. */
export async function decideApproval(
  request: Request,
  target: { readonly id: string; readonly access: Access; readonly rules: DecisionRules },
  { desk, config }: HttpServices,
): Promise<Response> {
  const body: JsonObject = await readBody(request, config.maxBodyBytes);
  const result = await desk.decide(target.access.approver, target.id, body, target.rules);
  if (result.status === 'invalid') return refuse(result, { problems: result.problems });
  const { approval } = result;
  return result.status === 'decided' ? answer(200, { approval }) : refuse(result, { approval });
}

/** Handles `GET /v1/approvals/{id}/artifacts/{ref}`: content that a pending call will run with. A browser stores it. */
export async function openArtifact(
  target: {
    readonly id: string;
    readonly ref: string;
    readonly access: Access;
    readonly artifacts: Pick<BlobStore, 'stat' | 'open'>;
  },
  { desk }: HttpServices,
): Promise<Response> {
  const { content } = await desk.openArtifact(target.access.approver, target, target.artifacts);
  const headers = { 'content-type': 'application/octet-stream', 'content-disposition': 'attachment' };
  return new Response(content, { headers: { ...safeHeaders, ...headers } });
}

/** Handles `GET /v1/approvals/events`: a stream of changes, as server-sent events. */
export async function streamApprovals(request: Request, access: Access, { streams }: HttpServices): Promise<Response> {
  const { approver, expiresAt } = access;
  const after = startOf(request);
  const body = await streams.open({
    approver,
    clientId: approver.id,
    ...(after === undefined ? {} : { after }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  });
  const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' };
  return new Response(body, { headers: { ...safeHeaders, ...headers } });
}

/** Returns the sequence number to continue after: of the last event that a browser has read, else of the query. */
function startOf({ headers, url }: Request): number | undefined {
  const given = headers.get('last-event-id') ?? new URL(url).searchParams.get('after');
  if (given === null) return undefined;
  if (/^\d{1,15}$/.test(given)) return Number(given);
  throw problem('E_REQUEST_INVALID', '"Last-Event-ID" or "after" must be a whole number');
}

function readQuery(search: URLSearchParams): {
  readonly filter: Pick<ApprovalFilter, 'status' | 'runId' | 'sessionId'>;
  readonly page: { readonly limit: number; readonly cursor?: string };
} {
  const given = Object.fromEntries(search);
  const unknown = Object.keys(given).find((name) => !parameters.includes(name));
  if (unknown !== undefined) {
    throw problem('E_REQUEST_INVALID', `"${unknown}" is not a parameter; the parameters are ${parameters.join(', ')}`);
  }
  const { status, limit = String(defaultLimit), cursor, ...rest } = given;
  if (status !== undefined && !statuses.has(status)) {
    throw problem('E_REQUEST_INVALID', `"status" must be one of ${[...statuses].join(', ')}`);
  }
  if (!/^[1-9]\d{0,2}$/.test(limit) || Number(limit) > maxLimit) {
    throw problem('E_REQUEST_INVALID', `"limit" must be a whole number from 1 to ${maxLimit}`);
  }
  return {
    filter: { ...rest, ...(status === undefined ? {} : { status: status as NonNullable<ApprovalFilter['status']> }) },
    page: { limit: Number(limit), ...(cursor === undefined ? {} : { cursor }) },
  };
}
