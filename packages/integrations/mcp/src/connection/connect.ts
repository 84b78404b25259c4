import { Client, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import type { AuthProvider, Transport } from '@modelcontextprotocol/client';
import { KernelError } from '@ravi/kernel';
import type {
  HttpServerOptions,
  McpLimits,
  McpServerOptions,
  McpSourceContext,
  StdioServerOptions,
} from '../options.ts';
import type { Connection, ServerRequests } from './connection.ts';
import { HttpTransport } from './http-transport.ts';
import { shown } from './describe-failure.ts';
import { StdioTransport } from './stdio-transport.ts';
import { tasksExtension } from './message-kind.ts';
import { createWireLimits } from './wire-limits.ts';

/** An older server over standard streams may not answer what it does not know. */
const silentMs = 10_000;
/** Begin of the only sign that the SDK gives when it no longer tries to open an event stream. */
const streamLost = 'Maximum reconnection attempts';
const maxLastWords = 300;
/** Shorter values of an environment, such as `1`, are not secrets. */
const minSecret = 6;
const clientInfo = { name: 'ravi', version: '0.1.0' };

/** Parts of an attempt to connect. */
export interface ConnectParts extends McpSourceContext {
  readonly limits: McpLimits;
  readonly requests: ServerRequests;
  /** Reaches only the host of the server; used for servers at an address. */
  readonly fetch: typeof fetch;
  readonly auth?: AuthProvider | undefined;
  readonly signal: AbortSignal;
}

/** Way to reach a server: its transport, and whether it is known to speak the older protocol. */
type Way = { readonly kind: 'stdio' | 'http' | 'sse'; readonly isLegacy: boolean };

/**
 * Connects to a server, in the ways that its options allow, one after the other.
 * @throws KernelError `E_SOURCE_UNAVAILABLE`, `E_CANCELLED`, or the error of the last way
 */
export async function connectServer(options: McpServerOptions, parts: ConnectParts): Promise<Connection> {
  const ways = waysTo(options);
  let failure: unknown;
  for (const way of ways) {
    try {
      return await connectOnce(options, way, parts);
    } catch (error) {
      if (parts.signal.aborted) throw new KernelError('E_CANCELLED', 'The connection was cancelled', { cause: error });
      failure = error;
      if (!mayHelp(way, error)) break;
    }
  }
  throw failure;
}

function waysTo(options: McpServerOptions): readonly Way[] {
  const isLegacy = options.protocol === '2025-11-25';
  const isModern = options.protocol === '2026-07-28';
  if (options.url === undefined) {
    // Some older servers end when they get a request before `initialize`.
    return isLegacy || isModern
      ? [{ kind: 'stdio', isLegacy }]
      : [
          { kind: 'stdio', isLegacy: false },
          { kind: 'stdio', isLegacy: true },
        ];
  }
  const { transport = 'auto' } = options;
  const http: Way = { kind: 'http', isLegacy };
  const sse: Way = { kind: 'sse', isLegacy: true };
  if (transport === 'http' || isModern) return [http];
  return transport === 'sse' ? [sse] : [http, sse];
}

// A server that could be reached, and understood, is not tried in another way.
function mayHelp(way: Way, error: unknown): boolean {
  if (!SdkError.isInstance(error)) return false;
  if (way.kind === 'stdio') return error.code === SdkErrorCode.EraNegotiationFailed;
  const status =
    (error as { readonly status?: number }).status ?? (error.data as { status?: number } | undefined)?.status;
  return status === 400 || status === 404 || status === 405;
}

async function connectOnce(options: McpServerOptions, way: Way, parts: ConnectParts): Promise<Connection> {
  const { limits, clock, logger, requests } = parts;
  let reason: string | undefined;
  const wire = createWireLimits(limits, clock);
  const end = (why: string): void => {
    reason ??= why;
    void transport.close();
  };
  const onViolation = (did: string): void => {
    end(`The server ${did}`);
    logger.warn('an MCP server was disconnected', { source: options.name, reason });
  };
  const transport: Transport =
    way.kind === 'stdio'
      ? new StdioTransport(options as StdioServerOptions, wire, onViolation)
      : new HttpTransport(options as HttpServerOptions, way.kind, { ...parts, wire, onViolation });
  const client = createClient(options, way, limits, requests);
  client.onerror = (error) => {
    if (error.message.startsWith(streamLost)) end('The server cannot be reached any more');
    logger.debug('an MCP server caused an error', { source: options.name, error: shown(error.message) });
  };
  try {
    await client.connect(transport, {
      timeout: limits.connectMs,
      signal: parts.signal,
      ...(way.isLegacy ? { prior: { kind: 'legacy' as const } } : {}),
    });
  } catch (error) {
    await transport.close().catch(() => undefined);
    const isClosed = SdkError.isInstance(error) && error.code === SdkErrorCode.ConnectionClosed;
    const why = reason ?? (isClosed ? lastWordsOf(transport, options) : undefined);
    throw why === undefined ? error : new KernelError('E_SOURCE_UNAVAILABLE', why, { cause: error });
  }
  const { promise: ended, resolve: onEnd } = Promise.withResolvers<void>();
  client.onclose = () => {
    reason ??= lastWordsOf(transport, options) ?? 'The server closed the connection';
    onEnd();
  };
  // It may have ended before a listener was added.
  if (client.transport === undefined) client.onclose();
  return connectionOf(client, { ended, endReason: () => reason, transport });
}

function createClient(options: McpServerOptions, way: Way, limits: McpLimits, requests: ServerRequests): Client {
  const mode = options.protocol === '2026-07-28' ? { pin: '2026-07-28' } : ('auto' as const);
  const client = new Client(clientInfo, {
    capabilities: {
      elicitation: { form: {}, url: {} },
      extensions: { [tasksExtension]: {} },
      ...(requests.onSample === undefined ? {} : { sampling: {} }),
    },
    versionNegotiation: way.isLegacy
      ? { mode: 'legacy' }
      : {
          mode,
          probe: {
            timeoutMs: Math.min(limits.connectMs, mode === 'auto' && way.kind === 'stdio' ? silentMs : Infinity),
          },
        },
    // The invoker checks results against the schema of a tool, in limited time.
    jsonSchemaValidator: {
      getValidator: () => (value) => ({ valid: true, data: value as never, errorMessage: undefined }),
    },
  });
  client.setRequestHandler('elicitation/create', (request, context) => requests.onElicit(request.params, context));
  const { onSample } = requests;
  if (onSample !== undefined)
    client.setRequestHandler('sampling/createMessage', (request, context) => onSample(request.params, context));
  for (const list of ['tools', 'resources', 'prompts'] as const)
    client.setNotificationHandler(`notifications/${list}/list_changed`, () => requests.onListChanged(list));
  return client;
}

function connectionOf(
  client: Client,
  { ended, endReason, transport }: Pick<Connection, 'ended' | 'endReason'> & { readonly transport: Transport },
): Connection {
  const program = client.getServerVersion();
  return {
    client,
    protocol: client.getNegotiatedProtocolVersion() ?? 'unknown',
    isModern: client.getProtocolEra() === 'modern',
    ...(program === undefined ? {} : { program: { name: shown(program.name), version: shown(program.version) } }),
    ended,
    endReason,
    hasSession: () => transport.sessionId !== undefined,
    async close() {
      await client.close().catch(() => undefined);
      await transport.close().catch(() => undefined);
    },
  };
}

// What a server wrote to its error stream may repeat what its environment holds.
function lastWordsOf(
  transport: Transport,
  { env = {} }: McpServerOptions & { readonly env?: object },
): string | undefined {
  if (!(transport instanceof StdioTransport)) return undefined;
  let words = transport.lastWords.trim();
  for (const value of Object.values(env) as string[])
    if (value.length >= minSecret) words = words.replaceAll(value, '[hidden]');
  return words === '' ? undefined : `The server ended: ${shown(words.slice(-maxLastWords))}`;
}
