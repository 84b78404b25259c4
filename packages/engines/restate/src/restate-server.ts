import { connect } from 'node:http2';
import { engineUnavailable } from '@ravi/engine-kit';
import { isKernelError, KernelError } from '@ravi/kernel';

/** Addresses of a Restate server, and the token for them. */
export interface RestateServerOptions {
  readonly ingressUrl: string;
  readonly adminUrl: string;
  readonly apiKey?: string;
  readonly timeoutMs: number;
}

/** Deployment that executes the queue of an installation. */
export interface Deployment {
  readonly id: string;
  readonly url: string;
}

/** Admin API of a Restate server. Its methods reject with `E_ENGINE_UNAVAILABLE` if it cannot be reached. */
export interface RestateAdmin {
  /** Returns the deployment that has the service. */
  deploymentOf(service: string): Promise<Deployment | undefined>;
  /** @throws KernelError `E_CONFIG_INVALID` if Restate cannot use the address */
  register(url: string): Promise<void>;
  /** Gives a deployment, with the requests that it has begun, to another address. @throws KernelError as `register` */
  move(id: string, url: string): Promise<void>;
  /** Returns the rows of a statement of SQL about the state that Restate has. */
  query(statement: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

const maxMessageLength = 500;

/** Creates the client of an admin API. */
export function createRestateAdmin({ adminUrl, apiKey, timeoutMs }: RestateServerOptions): RestateAdmin {
  const base = adminUrl.replace(/\/+$/, '');

  async function send(method: string, path: string, body?: unknown): Promise<Response> {
    try {
      return await fetch(`${base}${path}`, {
        method,
        headers: {
          accept: 'application/json',
          ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(timeoutMs),
      });
    } catch (error) {
      throw engineUnavailable(`The admin API of Restate at ${base} cannot be reached: ${reasonOf(error)}`, error);
    }
  }

  async function refusal(what: string, response: Response): Promise<KernelError> {
    const text = (await response.text().catch(() => '')).slice(0, maxMessageLength);
    return engineUnavailable(`Restate at ${base} refused ${what} (${response.status}): ${messageOf(text)}`);
  }

  async function read(path: string): Promise<unknown> {
    const response = await send('GET', path);
    if (response.status === 404) return undefined;
    if (!response.ok) throw await refusal(path, response);
    return response.json();
  }

  async function announce(method: string, path: string, url: string, options: object): Promise<void> {
    const response = await send(method, path, { uri: url, ...options });
    if (response.ok) return;
    const { message } = await refusal(`the address ${url}`, response);
    throw new KernelError(
      'E_CONFIG_INVALID',
      `${message}. Restate must reach this process at ${url}; advertisedUrl names another address`,
    );
  }

  return {
    async deploymentOf(service) {
      const found = (await read(`/services/${encodeURIComponent(service)}`)) as { deployment_id: string } | undefined;
      if (found === undefined) return undefined;
      const id = found.deployment_id;
      const deployment = (await read(`/deployments/${encodeURIComponent(id)}`)) as { uri?: string } | undefined;
      if (deployment === undefined) return undefined;
      if (deployment.uri !== undefined) return { id, url: new URL(deployment.uri).href };
      throw new KernelError(
        'E_CONFIG_INVALID',
        `The service ${service} of Restate at ${base} belongs to another program`,
      );
    },
    register: (url) => announce('POST', '/deployments', url, { force: true }),
    move: (id, url) => announce('PATCH', `/deployments/${encodeURIComponent(id)}`, url, { overwrite: true }),
    async query(statement) {
      const response = await send('POST', '/query', { query: statement });
      if (!response.ok) throw await refusal('a query', response);
      const { rows } = (await response.json()) as { readonly rows: readonly Readonly<Record<string, unknown>>[] };
      return rows;
    },
  };
}

/** Returns true if a process answers at the address of a deployment within the time. */
export function isReachable(url: string, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const path = `${new URL(url).pathname.replace(/\/+$/, '')}/health`;
    const session = connect(url);
    const end = (isAlive: boolean): void => {
      clearTimeout(timer);
      session.destroy();
      resolve(isAlive);
    };
    const timer = setTimeout(() => end(false), timeoutMs);
    session.on('error', () => end(false));
    const request = session.request({ ':path': path });
    request.on('error', () => end(false));
    request.once('response', ({ ':status': status }) => end(status === 200));
    request.resume();
  });
}

/** Returns the words of the innermost cause of an error of `fetch`. */
export function reasonOf(error: unknown): string {
  if (isKernelError(error)) return error.message;
  const { cause, message, code } = error as { cause?: unknown; message?: string; code?: unknown };
  if (cause instanceof Error) return reasonOf(cause);
  return message || String(code ?? error);
}

function messageOf(text: string): string {
  try {
    const { message } = JSON.parse(text) as { readonly message?: unknown };
    return typeof message === 'string' ? message : text;
  } catch {
    return text;
  }
}
