import { createSecureServer } from 'node:http2';
import type { IncomingHttpHeaders, ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { KernelError, systemClock } from '@ravi/kernel';
import type { Clock, Logger, Sandbox } from '@ravi/kernel';
import { keepAlive, sessionMemoryMegabytes, sharedSettings } from '../protocol/connection-settings.ts';
import { headerNames, paths, protocolVersion } from '../protocol/messages.ts';
import type { NodeHealth } from '../protocol/messages.ts';
import { createSendBudget } from '../protocol/send-budget.ts';
import type { TlsMaterial } from '../tls-files.ts';
import { serveRun } from './serve-run.ts';
import type { ServedRun } from './serve-run.ts';

/** Limits of a node. */
export interface SandboxNodeLimits {
  /** Runs at once, those included that wait for a process of the sandbox. Further runs are refused, and servers try another node. */
  readonly maxRuns: number;
  /** Connections of servers at once. A server opens one. */
  readonly maxConnections: number;
  /** Bytes that may wait until servers read them. Above it the run with the most ends. */
  readonly maxBufferedBytes: number;
  /** Milliseconds between two pings of each connection; one without a reply when the next is due is closed. */
  readonly pingIntervalMs: number;
}

/** Options of {@link startSandboxNode}. */
export interface SandboxNodeOptions extends Partial<SandboxNodeLimits> {
  /** Runs the scripts; the caller disposes it after the node. */
  readonly sandbox: Sandbox;
  readonly tls: TlsMaterial;
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** Names of which a certificate of a server must have one. Any certificate of the authority is accepted when absent. */
  readonly clients?: readonly string[];
  readonly logger: Logger;
  readonly clock?: Clock;
}

/** A node that runs scripts for servers. Disposing it ends its runs and connections at once. */
export interface SandboxNode extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  health(): NodeHealth;
  /** Uses other certificates for new connections. */
  replaceTls(tls: TlsMaterial): void;
  /** Refuses new runs, and resolves when those in progress have ended: true, or false after `timeoutMs`. */
  drain(timeoutMs: number): Promise<boolean>;
}

/** Default limits of a node. */
export const defaultNodeLimits: SandboxNodeLimits = Object.freeze({
  maxRuns: 1_000,
  maxConnections: 64,
  maxBufferedBytes: 268_435_456,
  pingIntervalMs: 10_000,
});

const handshakeTimeoutMs = 10_000;

/**
 * Starts a node: an HTTP/2 server that accepts only clients with a certificate of the configured authority.
 * @throws KernelError `E_CONFIG_INVALID` if it cannot listen
 */
export async function startSandboxNode(options: SandboxNodeOptions): Promise<SandboxNode> {
  const { sandbox, logger, clock = systemClock, clients } = options;
  const { maxRuns, maxConnections, maxBufferedBytes, pingIntervalMs } = { ...defaultNodeLimits, ...options };
  const budget = createSendBudget(maxBufferedBytes);
  const runs = new Map<string, ServedRun>();
  const subjects = new Map<ServerHttp2Session, string>();
  let isDraining = false;

  const server = createSecureServer({
    ...options.tls,
    requestCert: true,
    rejectUnauthorized: true,
    minVersion: 'TLSv1.3',
    handshakeTimeout: handshakeTimeoutMs,
    noDelay: true,
    // A run may be sent its files over further streams.
    settings: { ...sharedSettings, maxConcurrentStreams: 2 * maxRuns + 8 },
    maxSessionMemory: sessionMemoryMegabytes(maxBufferedBytes),
  });
  server.maxConnections = maxConnections;
  server.on('session', admit);
  server.on('stream', (stream, headers) => {
    // A stream that breaks is closed too, which ends its run.
    stream.on('error', () => {});
    route(stream, headers);
  });
  server.on('tlsClientError', (error: NodeJS.ErrnoException, socket) =>
    logger.warn('a connection was refused', { address: socket.remoteAddress, reason: error.code ?? error.message }),
  );
  server.on('drop', (data) =>
    logger.warn('a connection was refused', { address: data?.remoteAddress, reason: 'maxConnections', maxConnections }),
  );
  await listen();
  const { address: host, port } = server.address() as AddressInfo;

  return {
    host,
    port,
    health,
    replaceTls: (tls) => server.setSecureContext({ ...tls, minVersion: 'TLSv1.3' }),
    async drain(timeoutMs) {
      isDraining = true;
      const { promise: timeout, resolve } = Promise.withResolvers<false>();
      const timer = clock.setTimer(() => resolve(false), timeoutMs);
      const ends = Promise.all([...runs.values()].map(({ ended }) => ended)).then(() => true);
      const hasEnded = await Promise.race([ends, timeout]);
      timer.cancel();
      return hasEnded;
    },
    async [Symbol.asyncDispose]() {
      isDraining = true;
      const ends = [...runs.values()].map((run) => {
        run.cancel();
        return run.ended;
      });
      const closed = new Promise((resolve) => server.close(resolve));
      for (const session of subjects.keys()) session.destroy();
      await Promise.all([closed, ...ends]);
    },
  };

  async function listen(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    server.once('error', reject);
    server.listen({ host: options.host, port: options.port }, resolve);
    try {
      await promise;
    } catch (cause) {
      const code = (cause as NodeJS.ErrnoException).code ?? 'unknown error';
      const where = `${options.host}, port ${options.port}`;
      throw new KernelError('E_CONFIG_INVALID', `The node cannot listen on ${where}: ${explained[code] ?? code}`, {
        cause,
      });
    }
    server.off('error', reject);
    server.on('error', (error) => logger.error('the listener failed', { error }));
  }

  function admit(session: ServerHttp2Session): void {
    const certificate = (session.socket as TLSSocket).getPeerX509Certificate();
    session.on('error', (error: NodeJS.ErrnoException) =>
      logger.debug('a connection failed', { reason: error.code ?? error.message }),
    );
    if (certificate === undefined) return session.destroy();
    const subject = certificate.subject.replaceAll('\n', ', ');
    if (clients !== undefined && !clients.some((name) => certificate.checkHost(name) !== undefined)) {
      logger.warn('a connection was refused', { subject, reason: 'its certificate has none of the names in clients' });
      return session.destroy();
    }
    subjects.set(session, subject);
    logger.info('a server has connected', { subject, connections: subjects.size });
    keepAlive(session, { clock, pingIntervalMs });
    session.once('close', () => {
      subjects.delete(session);
      logger.info('a server has disconnected', { subject, connections: subjects.size });
    });
  }

  function route(stream: ServerHttp2Stream, { ':method': method, ':path': path = '' }: IncomingHttpHeaders): void {
    const session = stream.session as ServerHttp2Session | undefined;
    const subject = session && subjects.get(session);
    if (session === undefined || subject === undefined) return stream.close();
    if (method === 'GET' && path === paths.health) return respond(stream, 200, {}, JSON.stringify(health()));
    if (method === 'POST' && path === paths.runs) return begin(stream, session, subject);
    const [, runId = '', index = ''] = /^\/files\/([\w-]+)\/(\d{1,9})$/.exec(path) ?? [];
    const run = runs.get(runId);
    // Only the server that began a run knows its id, and only its connection may send it files.
    if (method === 'POST' && run?.session === session) return run.deliver(Number(index), stream);
    respond(stream, 404, {});
  }

  function begin(stream: ServerHttp2Stream, session: ServerHttp2Session, subject: string): void {
    if (isDraining) return respond(stream, 503, { [headerNames.reason]: 'draining' });
    if (runs.size >= maxRuns) {
      return respond(stream, 503, { [headerNames.reason]: `full (maxRuns: ${maxRuns})` });
    }
    const run = serveRun({ stream, session, subject, sandbox, budget, logger });
    runs.set(run.id, run);
    void run.ended.then(() => runs.delete(run.id));
  }

  function health(): NodeHealth {
    return {
      protocol: protocolVersion,
      status: isDraining ? 'draining' : 'ok',
      sandbox: sandbox.name,
      supports: sandbox.supports,
      runs: runs.size,
      maxRuns,
      connections: subjects.size,
      bufferedBytes: budget.bytes,
    };
  }
}

const explained: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program uses this port (EADDRINUSE)',
  EACCES: 'this user may not use this port (EACCES)',
  EADDRNOTAVAIL: 'this machine has no such address (EADDRNOTAVAIL)',
  ENOTFOUND: 'this host name has no address (ENOTFOUND)',
};

function respond(stream: ServerHttp2Stream, status: number, headers: Record<string, string>, body = ''): void {
  if (stream.destroyed) return;
  stream.respond({ ':status': status, ...headers });
  stream.end(body);
  // The rest of a request that was refused is not read.
  if (status !== 200) stream.close();
}
