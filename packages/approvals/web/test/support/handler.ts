import type { ApprovalRequest, ApprovalDecisionInput, ApprovalStore } from '@ravi/kernel';
import { createApprovalRequest, createFakeClock, createMemoryApprovalStore } from '@ravi/testkit';
import type { FakeClock } from '@ravi/testkit';
import { createWebApprovalHandler } from '../../src/index.ts';
import type { ApproverToken, WebApprovalHandler, WebApprovalOptions } from '../../src/index.ts';

/** Tokens of the tests: `ada` and `grace` decide the requests of every principal, `bob` only sees his own. */
export const tokens = {
  ada: 'token-of-ada-0123456789abcdefghijkl',
  bob: 'token-of-bob-0123456789abcdefghijkl',
  grace: 'token-of-grace-0123456789abcdefghij',
} as const;

/** The tokens as a configuration has them. */
export const approvers: readonly ApproverToken[] = [
  { token: tokens.ada, principal: 'ada', roles: ['approve'] },
  { token: tokens.bob, principal: 'bob' },
  { token: tokens.grace, principal: 'grace', roles: ['approve'] },
];

/** One server's worth of approvals over a store in memory, at the time of a fake clock. */
export interface Scene {
  readonly store: ApprovalStore;
  readonly clock: FakeClock;
  readonly handler: WebApprovalHandler;
  /** Sends a request of `ada`, unless `headers` say another, and reads the JSON of the answer. */
  send(method: string, path: string, options?: SendOptions): Promise<Answer>;
  /** Asks a question and leaves it open; `create` says how it differs from the usual one. */
  ask(overrides?: Partial<ApprovalRequest>, signal?: AbortSignal): Promise<ApprovalDecisionInput>;
  /** Stores a request that no call in this process waits for. */
  keep(overrides?: Partial<ApprovalRequest>): Promise<string>;
}

/** Options of `send`. */
export interface SendOptions {
  readonly body?: unknown;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly address?: string;
}

/** An answer over HTTP. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any -- each test asserts what it reads of it
  readonly body: any;
}

/** Opens a scene; `options` replace those of the handler. */
export function openScene(options: Partial<WebApprovalOptions> = {}): Scene {
  const clock = createFakeClock();
  const store = options.store ?? createMemoryApprovalStore();
  const rules = { checkArguments: async () => [] };
  const handler = createWebApprovalHandler({ tokens: approvers, clock, ...options, store });
  return {
    store,
    clock,
    handler,
    async send(method, path, { body, token = tokens.ada, headers = {}, address = '127.0.0.1' } = {}) {
      const response = await handler.fetch(requestTo(method, path, { body, token, headers }), { address, rules });
      const text = await response.text();
      return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
    },
    ask: (overrides, signal = new AbortController().signal) =>
      handler.request(createApprovalRequest(overrides), { signal }),
    async keep(overrides) {
      const { request } = await store.create(createApprovalRequest(overrides));
      return request.id;
    },
  };
}

/** A request as `fetch` makes it; an empty token sends none. */
export function requestTo(method: string, path: string, { body, token = '', headers = {} }: SendOptions = {}): Request {
  return new Request(`http://127.0.0.1:7341${path}`, {
    method,
    headers: {
      ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
}
