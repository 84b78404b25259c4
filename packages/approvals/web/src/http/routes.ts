import { authenticate } from './access/authenticate.ts';
import type { DecisionRules } from '@ravi/approval-kit';
import type { ApprovalPage } from '../page.ts';
import { answer, safeHeaders, answerProblem, problem } from './responses.ts';
import type { HttpServices } from './context.ts';
import type { BlobStore } from '@ravi/kernel';
import { decideApproval, listApprovals, openArtifact, readApproval, streamApprovals } from './approvals.ts';
import { checkHost, checkOrigin } from './same-origin.ts';
import { currentApprover, signIn, signOut } from './sign-in.ts';

/** Facts that a server has about a request apart from the request itself. */
export interface Circumstances {
  /** Address of the client; empty if it is not known. */
  readonly address: string;
  readonly rules: DecisionRules;
  readonly artifacts?: Pick<BlobStore, 'stat' | 'open'>;
}

/** Handles one request; never rejects. */
export type Respond = (request: Request, circumstances: Circumstances) => Promise<Response>;

const api = '/v1/approvals';
const decisionPath = /^\/([^/]+)\/decision$/;
const approvalPath = /^\/([^/]+)$/;
const artifactPath = /^\/([^/]+)\/artifacts\/([^/]+)$/;

/** Creates the routes of the approval API and its page, as a function of the Fetch standard. */
export function createRoutes(page: ApprovalPage, services: HttpServices): Respond {
  const { config, logger } = services;

  return async (request, { address, rules, artifacts }) => {
    try {
      checkHost(request, config.allowedHosts);
      const url = new URL(request.url);
      const path = url.pathname.startsWith(config.basePath) ? url.pathname.slice(config.basePath.length) : '';
      if (isRead(request) && path === '/approvals') return pageResponse(page);
      if (isRead(request) && path === '/approvals/') return answer(308, undefined, { location: '../approvals' });
      checkOrigin(request);
      const answered =
        path === api || path.startsWith(`${api}/`) ? await route(request, url, path.slice(api.length)) : undefined;
      return answered ?? notFound(request, url);
    } catch (error) {
      return answerProblem(error, logger);
    }

    async function route({ method }: Request, url: URL, rest: string): Promise<Response | undefined> {
      const access = () => authenticate(request, address, services);
      if (rest === '/session') return session(request, address, services);
      if (rest === '' && method === 'GET') return listApprovals(url, access(), services);
      if (rest === '/events' && method === 'GET') return streamApprovals(request, access(), services);
      const decided = idIn(decisionPath, rest);
      if (decided !== undefined && method === 'POST') {
        return decideApproval(request, { id: decided, access: access(), rules }, services);
      }
      const artifact = artifactPath.exec(rest);
      if (artifact !== null && method === 'GET' && artifacts !== undefined) {
        const [id, ref] = [decoded(artifact[1]), decoded(artifact[2])];
        return id === undefined || ref === undefined
          ? undefined
          : openArtifact({ id, ref, access: access(), artifacts }, services);
      }
      const read = idIn(approvalPath, rest);
      return read !== undefined && method === 'GET' ? readApproval(read, access(), services) : undefined;
    }
  };
}

function session(request: Request, address: string, services: HttpServices): Promise<Response> | Response | undefined {
  if (request.method === 'POST') return signIn(request, address, services);
  if (request.method === 'GET') return currentApprover(request, address, services);
  return request.method === 'DELETE' ? signOut(services) : undefined;
}

function pageResponse({ html, policy }: ApprovalPage): Response {
  return new Response(html, {
    headers: {
      ...safeHeaders,
      'content-security-policy': policy,
      'content-type': 'text/html; charset=utf-8',
      'cross-origin-opener-policy': 'same-origin',
    },
  });
}

function isRead({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Returns the id in a path; `undefined` if it cannot be decoded. */
function idIn(pattern: RegExp, path: string): string | undefined {
  const [, encoded] = pattern.exec(path) ?? [];
  return decoded(encoded);
}

function decoded(encoded: string | undefined): string | undefined {
  try {
    return encoded === undefined ? undefined : decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

function notFound({ method }: Request, { pathname }: URL): never {
  throw problem('E_ROUTE_UNKNOWN', `There is no ${method} ${pathname}`);
}
