import { createServer } from 'node:http';
import type { Server, ServerOptions } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { isWebApprovalHandler } from '@ravi/approval-web';
import type { ServerConfig } from '@ravi/host';
import { KernelError } from '@ravi/kernel';
import { partsOf } from './container.ts';
import { answerInvalidRequest, guardConnections } from './http/core/guard-connections.ts';
import { warnOfInvalidSchemas } from './sources/invalid-schemas.ts';
import type { Monolith } from './lifespan.ts';
import { reachableUrlOf, requireLoopback, urlOf } from './server-address.ts';
import { startRecovery } from './runs/start-recovery.ts';
import type { Parts } from './tokens.ts';
import { startTriggers } from './triggers/start-triggers.ts';

/** Options of {@link serve}. Absent options come from the configuration. */
export interface ServeOptions {
  readonly host?: string | undefined;
  /** 0 picks a free port. */
  readonly port?: number | undefined;
  /** Milliseconds for which running requests may continue once the server is disposed. Default: 3 000. */
  readonly graceMs?: number;
}

/** A listening server. Disposing it waits `graceMs` for running requests, then cancels them. */
export interface HttpServer extends AsyncDisposable {
  /** `http://127.0.0.1:7341` */
  readonly url: string;
  /** True if the console is built, so that it is served at `url`. */
  readonly hasConsole: boolean;
}

const answerMs = 1_000;
const idleCheckMs = 20;
const connectionsCheckingInterval = 1_000;
// With Node's default of 511, a burst of a thousand connections is dropped in part and retried seconds later.
const maxBacklog = 4_096;

/**
 * Serves the HTTP interface on a loopback address, or on any address if access tokens are configured.
 * @throws KernelError `E_CONFIG_INVALID` for a public address without access tokens, or one that is in use
 */
export async function serve(monolith: Monolith, options: ServeOptions = {}): Promise<HttpServer> {
  const parts = partsOf(monolith.container);
  const { config, httpApp, approvalHandler, callerApprovals, mcpEndpoint, publicAddress, toolbox, logger } = parts;
  const { server: configured } = config;
  const { host = configured.host, port = configured.port, graceMs = 3_000 } = options;
  if (configured.tokens.length === 0) requireLoopback(host);
  // `guardConnections` reads the rest of a body; the listener would close its connection after half a second.
  const how = { errorHandler: answerInvalidRequest, autoCleanupIncoming: false };
  const answer = getRequestListener(httpApp.fetch, how);
  const server = createServer(serverOptions(configured), (...exchange) => void answer(...exchange));
  guardConnections(server, configured);
  const address = await listen(server, { host, port });
  publicAddress.url ??= urlOf(address);
  await announce(parts, configured.advertisedAddress ?? reachableUrlOf(address));
  const recovery = startRecovery(parts);
  const triggers = startTriggers(parts);
  const closing = new AbortController();
  // After it listens: thousands of schemas take seconds, and most are never used.
  void warnOfInvalidSchemas(toolbox, { logger, signal: closing.signal });
  async function close(): Promise<void> {
    closing.abort();
    const { promise: closed, resolve: onClosed } = Promise.withResolvers<void>();
    // Clients keep a connection open for their next request.
    const closingIdle = setInterval(() => server.closeIdleConnections(), idleCheckMs);
    server.close(() => {
      clearInterval(closingIdle);
      onClosed();
    });
    // Event streams never end; a browser reconnects automatically.
    callerApprovals?.streams.close();
    mcpEndpoint.endStreams();
    if (isWebApprovalHandler(approvalHandler)) approvalHandler.closeStreams();
    recovery?.stop();
    triggers?.stop();
    if (await endsWithin(closed, graceMs)) return;
    monolith.cancelRuns();
    if (await endsWithin(closed, answerMs)) return;
    server.closeAllConnections();
    await closed;
  }

  return {
    url: urlOf(address),
    hasConsole: parts.openConsole() !== undefined,
    async [Symbol.asyncDispose]() {
      await close();
      // What it has claimed is settled while the store is open, or found by the next server.
      if (triggers !== undefined) await endsWithin(Promise.resolve(triggers[Symbol.asyncDispose]()), answerMs);
    },
  };
}

// Without a store that is available the next heartbeat tells the address.
async function announce({ durable, logger }: Parts, address: string): Promise<void> {
  try {
    await durable?.process.describe({ address });
  } catch (error) {
    logger.warn('the address of this server could not be stored; it is tried again', { error });
  }
}

// A client that sends a request more slowly only holds the connection.
function serverOptions({ headersTimeoutMs, requestTimeoutMs }: ServerConfig): ServerOptions {
  return {
    // Node rejects a longer time for headers than for the whole request.
    headersTimeout: Math.min(headersTimeoutMs, requestTimeoutMs),
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval,
    // Checked by `sameOrigin`, whose error has the format of all others.
    requireHostHeader: false,
  };
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
    cause.code === 'EADDRINUSE' ? 'the port is in use; choose another with --port, 0 picks a free one' : cause.message;
  return new KernelError('E_CONFIG_INVALID', `Cannot listen on ${address}: ${reason}`, { cause });
}

// The platform's timer, because this wait must end even if a test stops the injected clock.
async function endsWithin(event: Promise<void>, limitMs: number): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(resolve, limitMs, false);
  try {
    return await Promise.race([event.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
