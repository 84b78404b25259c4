import type { ApprovalDesk, ApprovalEventStreams } from '@ravi/approval-kit';
import type { Logger } from '@ravi/kernel';
import type { RateLimit } from '@ravi/support';
import type { Sessions } from './access/sessions.ts';
import type { KnownToken, TokenHolder } from './access/tokens.ts';
import type { WebApprovalConfig } from '../options.ts';

/** Services that the routes share. */
export interface HttpServices {
  readonly desk: ApprovalDesk;
  readonly streams: ApprovalEventStreams;
  readonly logger: Logger;
  readonly config: WebApprovalConfig;
  readonly tokens: readonly KnownToken[];
  readonly sessions: Sessions;
  readonly requestLimit: RateLimit;
  readonly failureLimit: RateLimit;
}

/** The approver that sent a request, authenticated by a token or a session. */
export interface Access {
  readonly approver: TokenHolder;
  /** End of the session, in milliseconds since the Unix epoch; absent for a token. */
  readonly expiresAt?: number;
}
