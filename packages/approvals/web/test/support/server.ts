import { createAdaptorServer } from '@hono/node-server';
import type { AddressInfo } from 'node:net';
import type { Server } from 'node:http';
import { createApprovalRequest, createMemoryApprovalStore } from '@ravi/testkit';
import type { ApprovalRequest, ApprovalDecisionInput, ApprovalStore } from '@ravi/kernel';
import { createWebApprovalHandler } from '../../src/index.ts';
import type { WebApprovalOptions } from '../../src/index.ts';
import { approvers } from './handler.ts';

/** The handler served by a real HTTP server, in real time. */
export interface ApprovalServer extends AsyncDisposable {
  /** Of the page. */
  readonly url: string;
  readonly store: ApprovalStore;
  /** Asks a question that stays open for a minute, unless it says otherwise. */
  ask(overrides?: Partial<ApprovalRequest>): Promise<ApprovalDecisionInput>;
  /** Ends the process, as far as a browser can tell, and starts another one at the same address. */
  restart(): Promise<void>;
  /** Ends it and starts none. */
  stop(): Promise<void>;
}

/** Starts a server on a free port. */
export async function startApprovalServer(options: Partial<WebApprovalOptions> = {}): Promise<ApprovalServer> {
  const store = options.store ?? createMemoryApprovalStore();
  const waiting = new AbortController();
  let running = await start(0);
  const { port } = running;

  async function start(
    wanted: number,
  ): Promise<{ readonly port: number; readonly stop: () => Promise<void> } & Asking> {
    const handler = createWebApprovalHandler({ tokens: approvers, ...options, store });
    const rules = { checkArguments: async () => [] };
    const server = createAdaptorServer({ fetch: (request) => handler.fetch(request, { rules }) }) as Server;
    await new Promise<void>((resolve) => server.listen(wanted, '127.0.0.1', resolve));
    return {
      port: (server.address() as AddressInfo).port,
      request(request) {
        const result = handler.request(request, { signal: waiting.signal });
        // Most tests end before their requests are decided.
        result.catch(() => {});
        return result;
      },
      async stop() {
        handler.closeStreams();
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      },
    };
  }

  return {
    url: `http://127.0.0.1:${port}/approvals`,
    store,
    ask(overrides) {
      const requestedAt = Date.now();
      return running.request(createApprovalRequest({ requestedAt, expiresAt: requestedAt + 60_000, ...overrides }));
    },
    async restart() {
      await running.stop();
      running = await start(port);
    },
    stop: () => running.stop(),
    async [Symbol.asyncDispose]() {
      waiting.abort();
      await running.stop();
    },
  };
}

interface Asking {
  request(request: ApprovalRequest): Promise<ApprovalDecisionInput>;
}
