import type { ApprovalStore, Clock, Logger, Principal } from '@ravi/kernel';

/** What somebody may do beyond deciding requests of its own principal: `approve` sees and decides everybody's. */
export type ApproverRole = 'approve';

/** Somebody who may decide, known by a token. Exactly one of `token` and `tokenSha256` is given. */
export interface ApproverToken {
  /** At least 32 characters that nobody can guess. */
  readonly token?: string;
  /** SHA-256 of such a token in hex, so that the configuration holds no secret. Sessions then end with the process. */
  readonly tokenSha256?: string;
  /** Whose requests it sees and decides, and the name that stands in the audit log. */
  readonly principal: Principal;
  readonly roles?: readonly ApproverRole[];
}

/** What the plugin takes from a configuration. Its schema has the defaults. */
export interface WebApprovalConfig {
  readonly tokens: readonly ApproverToken[];
  /** Path under which a server mounts the handler, when that server does not strip it. */
  readonly basePath: string;
  /** Names by which browsers may address the server, with a port or for every port; loopback names are always allowed. */
  readonly allowedHosts: readonly string[];
  /** How long a sign-in holds. */
  readonly sessionTtlMs: number;
  /** Requests that one token may send in a minute. */
  readonly requestsPerMinute: number;
  /** Wrong tokens that one address may send in a minute; after that no token from it is looked at. */
  readonly failuresPerMinute: number;
  /** Of a body of a request. */
  readonly maxBodyBytes: number;
  /** Streams of events that are open at once. */
  readonly maxStreams: number;
  /** Streams of events that one token has open at once. */
  readonly maxStreamsPerToken: number;
  /** Silence after which a stream of events says that it is still there. */
  readonly heartbeatMs: number;
  /** The longest time until a change that another process made is noticed. */
  readonly maxPollMs: number;
}

/** Options of `createWebApprovalHandler`: what is absent has the default of the plugin. */
export interface WebApprovalOptions extends Partial<WebApprovalConfig> {
  readonly tokens: readonly ApproverToken[];
  /** Where requests and answers are kept; every process that shares it sees the same. */
  readonly store: ApprovalStore;
  readonly clock?: Clock;
  readonly logger?: Logger;
}
