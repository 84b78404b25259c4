import type { ApprovalStore, Clock, Logger } from '@ravi/kernel';
import type { RateLimit } from '../access/rate-limit.ts';
import type { Sessions } from '../access/sessions.ts';
import type { Approver, KnownToken } from '../access/tokens.ts';
import type { ApprovalFeed } from '../feed.ts';
import type { WebApprovalConfig } from '../options.ts';

/** What the routes share. */
export interface HttpServices {
  readonly store: ApprovalStore;
  readonly feed: ApprovalFeed;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly config: WebApprovalConfig;
  readonly tokens: readonly KnownToken[];
  readonly sessions: Sessions;
  readonly requestLimit: RateLimit;
  readonly failureLimit: RateLimit;
  /** Aborts when no stream shall go on. */
  readonly lifetime: AbortSignal;
}

/** Who has sent a request, proved by a token or a session. */
export interface Access {
  readonly approver: Approver;
  /** When the proof ends, in milliseconds since the Unix epoch; absent for a token. */
  readonly expiresAt?: number;
}
