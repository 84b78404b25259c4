import { KernelError } from '@ravi/kernel';
import { readEventStream } from './event-stream.ts';
import type { ServerEvent } from './event-stream.ts';

/** The HTTP interface of a server, or of an installation that is open in this process. */
export interface Client extends AsyncDisposable {
  /** Whether the installation is open in this process: what waits for it ends with the command. */
  readonly isEmbedded: boolean;
  /** An answer as JSON, which is taken for what the server's documentation says it is. @throws KernelError with the server's code */
  get<Answer>(path: string, query?: Query): Promise<Answer>;
  send<Answer>(method: 'POST' | 'PUT' | 'DELETE', path: string, body?: object): Promise<Answer>;
  /** An answer as it comes. @throws KernelError as `get` */
  open(path: string, query?: Query): Promise<Response>;
  /** Server-sent events, after `lastEventId` when given, to the end of the stream. @throws KernelError as `get` */
  events(path: string, lastEventId: string): AsyncGenerator<ServerEvent>;
}

/** Parameters of a query; those that are `undefined` are left out. */
export type Query = Readonly<Record<string, string | number | undefined>>;

/** How requests get to where they are answered. */
export interface ClientOptions {
  /** `http://127.0.0.1:7341` */
  readonly url: string;
  readonly isEmbedded: boolean;
  readonly token?: string | undefined;
  readonly send: (request: Request) => Response | Promise<Response>;
  readonly close?: () => PromiseLike<void>;
}

/** A client of the HTTP interface, wherever that is. */
export function createClient({ url, isEmbedded, token, send, close }: ClientOptions): Client {
  async function request(path: string, query: Query, init: RequestInit): Promise<Response> {
    const target = new URL(path, url);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) target.searchParams.set(name, String(value));
    }
    const headers = new Headers(init.headers);
    // Without a socket nobody else sets it.
    if (isEmbedded) headers.set('host', target.host);
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
    const response = await unlessUnreachable(url, () => send(new Request(target, { ...init, headers })));
    if (!response.ok) throw await problemOf(response);
    return response;
  }

  const open: Client['open'] = (path, query = {}) => request(path, query, {});
  return {
    isEmbedded,
    open,
    get: async (path, query) => (await open(path, query)).json() as Promise<never>,
    async send(method, path, body = {}) {
      const headers = { 'content-type': 'application/json' };
      const response = await request(path, {}, { method, headers, body: JSON.stringify(body) });
      return (response.status === 204 ? undefined : await response.json()) as never;
    },
    async *events(path, lastEventId) {
      const headers: Record<string, string> = lastEventId === '' ? {} : { 'last-event-id': lastEventId };
      const { body } = await request(path, {}, { headers });
      if (body !== null) yield* readEventStream(body);
    },
    async [Symbol.asyncDispose]() {
      await close?.();
    },
  };
}

/** A path with a name in it that may hold any character. */
export function pathTo(prefix: string, name: string, suffix = ''): string {
  return `${prefix}/${encodeURIComponent(name)}${suffix}`;
}

async function unlessUnreachable(url: string, send: () => Response | Promise<Response>): Promise<Response> {
  try {
    return await send();
  } catch (cause) {
    throw unreachable(`No server answers at ${url}: ${reasonOf(cause)}; start one with "ravi serve"`, cause);
  }
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? cause.message || (cause as NodeJS.ErrnoException).code || message : message;
}

function unreachable(message: string, cause?: unknown): KernelError {
  return new KernelError('E_SERVER_UNREACHABLE', message, { cause, retryable: true });
}

async function problemOf(response: Response): Promise<KernelError> {
  const text = await response.text();
  const { code, message } = problemIn(text);
  if (code !== undefined && message !== undefined) return new KernelError(code, message);
  return unreachable(`The server at ${new URL(response.url).origin} is no Ravi server: it answered ${response.status}`);
}

function problemIn(text: string): Problem {
  try {
    return (JSON.parse(text) as { readonly error?: Problem }).error ?? {};
  } catch {
    return {};
  }
}

interface Problem {
  readonly code?: string;
  readonly message?: string;
}
