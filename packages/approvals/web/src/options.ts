import type { ApprovalStore, Clock, Logger, Principal } from '@ravi/kernel';

/** Role of an approver: with `approve` it sees and decides the requests of every principal; without, it only sees its own. */
export type ApproverRole = 'approve';

/** An approver, identified by a token. Exactly one of `token` and `tokenSha256` is set. */
export interface ApproverToken {
  /** A random secret of at least 32 characters. */
  readonly token?: string;
  /** SHA-256 of such a token in hex, so that the configuration holds no secret. Sessions then end with the process. */
  readonly tokenSha256?: string;
  /** Principal whose requests it sees; recorded in the audit log. */
  readonly principal: Principal;
  readonly roles?: readonly ApproverRole[];
}

/** Configuration of the plugin. Its schema has the defaults. */
export interface WebApprovalConfig {
  readonly tokens: readonly ApproverToken[];
  /** True if an approver may not decide the requests of its own principal. */
  readonly fourEyes: boolean;
  /** Path under which a server mounts the handler, when that server does not strip it. */
  readonly basePath: string;
  /** Names by which browsers may address the server, with a port or for every port; loopback names are always allowed. */
  readonly allowedHosts: readonly string[];
  /** Lifetime of a login session. */
  readonly sessionTtlMs: number;
  /** Requests that one token may send in a minute. */
  readonly requestsPerMinute: number;
  /** Unknown tokens that one address may send in a minute; further ones get 429, known tokens never. */
  readonly failuresPerMinute: number;
  /** Maximum size of a request body. */
  readonly maxBodyBytes: number;
  /** Event streams open at the same time. */
  readonly maxStreams: number;
  /** Event streams of one token open at the same time. */
  readonly maxStreamsPerToken: number;
  /** Silence after which a heartbeat is sent. */
  readonly heartbeatMs: number;
  /** Longest delay until a change by another process is noticed. */
  readonly maxPollMs: number;
}

/** Options of `createWebApprovalHandler`, with the defaults of the plugin. */
export interface WebApprovalOptions extends Partial<WebApprovalConfig> {
  readonly tokens: readonly ApproverToken[];
  /** Store of requests and decisions, shared by all processes. */
  readonly store: ApprovalStore;
  readonly clock?: Clock;
  readonly logger?: Logger;
}
