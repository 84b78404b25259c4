import { createServer } from 'node:http';
import type { Server, ServerOptions } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { isWebApprovalHandler } from '@ravi/approval-web';
import { startRunRecovery } from '@ravi/capabilities';
import type { RunRecovery } from '@ravi/capabilities';
import type { ServerConfig } from '@ravi/host';
import { KernelError } from '@ravi/kernel';
import { partsOf } from './container.ts';
import { answerNoRequest, guardConnections } from './http/core/guard-connections.ts';
import { warnOfInvalidSchemas } from './tools/invalid-schemas.ts';
import type { Monolith } from './lifespan.ts';
import { requireLoopback } from './loopback.ts';
import { createRecoverAgentRun } from './runs/recover-agent-run.ts';
import type { Parts } from './tokens.ts';

/** Where to listen; what is absent comes from the configuration. */
export interface ServeOptions {
  readonly host?: string | undefined;
  /** 0 picks a free port. */
  readonly port?: number | undefined;
  /** How long running requests may go on once the server is disposed, in milliseconds; 3 000 when absent. */
  readonly graceMs?: number;
}

/** A listening server. Disposing it lets running requests end for a while, then cancels them. */
export interface HttpServer extends AsyncDisposable {
  /** `http://127.0.0.1:7341` */
  readonly url: string;
}

const answerMs = 1_000;
const idleCheckMs = 20;
const connectionsCheckingInterval = 1_000;
// Of Node's usual 511 the kernel drops the rest of a thousand that connect at once, and they wait for seconds.
const maxBacklog = 4_096;

/**
 * Serves the HTTP interface: on a loopback address, or on any where tokens say who may use it.
 * @throws KernelError `E_CONFIG_INVALID` for an address that others could reach, or one that is taken
 */
export async function serve(monolith: Monolith, options: ServeOptions = {}): Promise<HttpServer> {
  const parts = partsOf(monolith.container);
  const { config, httpApp, approvalHandler, toolbox, logger } = parts;
  const { server: configured } = config;
  const { host = configured.host, port = configured.port, graceMs = 3_000 } = options;
  if (configured.tokens.length === 0) requireLoopback(host);
  const answer = getRequestListener(httpApp.fetch, { errorHandler: answerNoRequest });
  const server = createServer(serverOptions(configured), (...exchange) => void answer(...exchange));
  guardConnections(server, configured);
  const address = await listen(server, { host, port });
  const recovery = startRecovery(parts);
  const closing = new AbortController();
  // Not before it listens: thousands of schemas take seconds, and most are never asked for.
  void warnOfInvalidSchemas(toolbox, { logger, signal: closing.signal });
  return {
    url: urlOf(address),
    async [Symbol.asyncDispose]() {
      closing.abort();
      const { promise: closed, resolve: onClosed } = Promise.withResolvers<void>();
      // Clients keep a connection for their next request when the last one has its answer.
      const closingIdle = setInterval(() => server.closeIdleConnections(), idleCheckMs);
      server.close(() => {
        clearInterval(closingIdle);
        onClosed();
      });
      // They would go on for ever, and a browser comes back by itself.
      if (isWebApprovalHandler(approvalHandler)) approvalHandler.closeStreams();
      recovery?.stop();
      if (await endsWithin(closed, graceMs)) return;
      monolith.cancelRuns();
      if (await endsWithin(closed, answerMs)) return;
      server.closeAllConnections();
      await closed;
    },
  };
}

// Who sends a request slower than this only wants to hold the connection.
function serverOptions({ headersTimeoutMs, requestTimeoutMs }: ServerConfig): ServerOptions {
  return {
    // Node refuses to give headers more time than the whole request.
    headersTimeout: Math.min(headersTimeoutMs, requestTimeoutMs),
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval,
    // Refused further in, and in the shape of every other refusal.
    requireHostHeader: false,
  };
}

// Here and not in the lifespan: a command that ends soon must not take runs on.
function startRecovery({ durable, approvalFeed: feed, clock, logger }: Parts): RunRecovery | undefined {
  if (durable === undefined || feed === undefined) return undefined;
  const { store, chains, agentRunner, recorder } = durable;
  const resumeOther = createRecoverAgentRun({ store, agentRunner, recorder, clock, logger });
  return startRunRecovery({ chains, store, feed, resumeOther, clock, logger });
}

function listen(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => reject(cannotListen(`${host}:${port}`, cause)));
    server.listen({ host, port, backlog: maxBacklog }, () => resolve(server.address() as AddressInfo));
  });
}

function cannotListen(address: string, cause: NodeJS.ErrnoException): KernelError {
  const reason =
    cause.code === 'EADDRINUSE' ? 'the port is taken; choose another with --port, 0 picks a free one' : cause.message;
  return new KernelError('E_CONFIG_INVALID', `Cannot listen on ${address}: ${reason}`, { cause });
}

function urlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

// The platform's timer and not the injected clock: this wait must end whatever a test's clock does.
async function endsWithin(event: Promise<void>, limitMs: number): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(resolve, limitMs, false);
  try {
    return await Promise.race([event.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
