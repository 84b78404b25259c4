import { randomBytes } from 'node:crypto';
import { createWebApprovalHandler } from '@ravi/approval-web';
import type { WebApprovalHandler } from '@ravi/approval-web';
import type { ApprovalStore, Clock, Logger } from '@ravi/kernel';
import type { Caller } from './caller.ts';

/** Approvals over HTTP for callers that the server has recognised itself. */
export interface CallerApprovals {
  readonly handler: WebApprovalHandler;
  /** Answers a request of the approval API as coming from `caller`, whatever it says about itself. */
  fetchAs(caller: Caller, request: Request): Promise<Response>;
}

/** Options of {@link createCallerApprovals}. */
export interface CallerApprovalsOptions {
  readonly callers: readonly Caller[];
  readonly store: ApprovalStore;
  /** Names of the server beside loopback ones. */
  readonly allowedHosts: readonly string[];
  readonly clock: Clock;
  readonly logger: Logger;
}

const requestsPerMinute = 60_000;
const maxStreams = 1_000;

/** Each caller gets a token that never leaves the process. */
export function createCallerApprovals({ callers, ...options }: CallerApprovalsOptions): CallerApprovals {
  const tokens = new Map(callers.map((caller) => [caller, randomBytes(32).toString('base64url')]));
  const handler = createWebApprovalHandler({
    ...options,
    tokens: [...tokens].map(([{ principal, roles }, token]) => ({
      token,
      principal,
      roles: roles.includes('approve') || roles.includes('admin') ? ['approve'] : [],
    })),
    requestsPerMinute,
    maxStreams,
    maxStreamsPerToken: maxStreams,
  });
  return {
    handler,
    fetchAs(caller, request) {
      const token = tokens.get(caller);
      const forwarded = new Request(request);
      forwarded.headers.delete('cookie');
      if (token !== undefined) forwarded.headers.set('authorization', `Bearer ${token}`);
      return handler.fetch(forwarded);
    },
  };
}
