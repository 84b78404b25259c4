import { connect as connectHttp2 } from 'node:http2';
import type { ClientHttp2Session } from 'node:http2';
import { isIP } from 'node:net';
import { checkServerIdentity, connect as connectTls } from 'node:tls';
import type { Clock } from '@ravi/kernel';
import { keepAlive, sessionMemoryMegabytes, sharedSettings } from '../protocol/connection-settings.ts';
import { paths, protocolVersion, readHealth } from '../protocol/messages.ts';
import type { NodeHealth } from '../protocol/messages.ts';
import type { TlsMaterial } from '../tls-files.ts';
import type { NodeAddress } from './node-address.ts';

/** Limits of a connection. */
export interface ConnectionLimits {
  readonly connectTimeoutMs: number;
  readonly pingIntervalMs: number;
  readonly maxBufferedBytes: number;
}

/** Open connection to a node, and what the node reported when it was opened. */
export interface OpenConnection {
  readonly session: ClientHttp2Session;
  readonly health: NodeHealth;
}

/** A report of a node is a few hundred bytes. */
const maxHealthLength = 65_536;

/**
 * Connects to a node: the certificate of the node must be signed by the authority and have its name, and it must report that it runs
 * scripts.
 * @throws Error whose message says why the node cannot be used, as the rest of a sentence about it
 */
export async function connectToNode(
  { host, port, name, address }: NodeAddress,
  tls: TlsMaterial,
  limits: ConnectionLimits & { readonly clock: Clock },
): Promise<OpenConnection> {
  const { clock, connectTimeoutMs, pingIntervalMs, maxBufferedBytes } = limits;
  const socket = connectTls({
    host,
    port,
    ...tls,
    // An IP address is not allowed as a server name.
    ...(isIP(name) === 0 ? { servername: name } : {}),
    checkServerIdentity: (_host, certificate) => checkServerIdentity(name, certificate),
    minVersion: 'TLSv1.3',
    ALPNProtocols: ['h2'],
  });
  socket.setNoDelay(true);
  const session = connectHttp2(`https://${address}`, {
    createConnection: () => socket,
    settings: sharedSettings,
    maxSessionMemory: sessionMemoryMegabytes(maxBufferedBytes),
  });
  const { promise: failed, reject } = Promise.withResolvers<never>();
  // A failure after the connection was opened is the end of the session, which its owner watches.
  failed.catch(() => {});
  session.on('error', (error) => reject(new Error(reasonOf(error, name), { cause: error })));
  session.once('close', () => reject(new Error(refusedConnection)));
  session.unref();
  const timer = clock.setTimer(
    () => reject(new Error(`did not respond within ${connectTimeoutMs} ms`)),
    connectTimeoutMs,
    { isBackground: true },
  );
  try {
    const health = await Promise.race([readNodeHealth(session), failed]);
    if (health.protocol !== protocolVersion) {
      throw new Error(`speaks version ${health.protocol} of the protocol, not ${protocolVersion}`);
    }
    if (health.status === 'draining') throw new Error('is shutting down');
    keepAlive(session, { clock, pingIntervalMs });
    return { session, health };
  } catch (error) {
    session.destroy();
    throw error;
  } finally {
    timer.cancel();
  }
}

function readNodeHealth(session: ClientHttp2Session): Promise<NodeHealth> {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ':method': 'GET', ':path': paths.health });
    let text = '';
    stream.setEncoding('utf8');
    stream.on('data', (chunk: string) => {
      text += chunk;
      if (text.length <= maxHealthLength) return;
      reject(new Error('sent a report that is too large'));
      stream.destroy();
    });
    stream.once('end', () => {
      // Without a response the connection is about to fail, for a reason that it knows.
      if (text === '') return;
      const health = readHealth(text);
      if (health === undefined) reject(new Error('sent a report that cannot be read'));
      else resolve(health);
    });
    stream.on('error', () => {});
  });
}

/** A node ends a connection after the handshake if it does not accept the certificate, and does not say so. */
const refusedConnection =
  'closed the connection; its log has the reason, for example that it does not accept the certificate of this server';

const reasons: Readonly<Record<string, string>> = {
  ECONNRESET: refusedConnection,
  ECONNREFUSED: 'refused the connection',
  ENOTFOUND: 'has a host name that cannot be resolved',
  ETIMEDOUT: 'did not respond',
  CERT_HAS_EXPIRED: 'has a certificate that has expired',
  SELF_SIGNED_CERT_IN_CHAIN: 'has a certificate that is not signed by the authority in ca',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'has a certificate that is not signed by the authority in ca',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'has a certificate that is not signed by the authority in ca',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'has a certificate that is not signed by the authority in ca',
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: 'did not accept the certificate of this server',
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: 'did not accept the certificate of this server: another authority has signed it',
  ERR_SSL_TLS_ALERT_UNSUPPORTED_CERTIFICATE: 'did not accept the certificate of this server',
};

function reasonOf(error: Error, name: string): string {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return `has a certificate that is not for ${name} (${code})`;
  const reason = reasons[code];
  if (reason !== undefined) return `${reason} (${code})`;
  return code === '' ? `failed: ${error.message}` : `failed: ${error.message} (${code})`;
}
