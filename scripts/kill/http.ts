import { setTimeout as pause } from 'node:timers/promises';
import type { SeededRandom } from '../../packages/testkit/src/index.ts';
import type { KilledServers } from './servers.ts';

/** Response of a live server. */
export interface Reply {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- the oracles read what the API documents
  readonly body: any;
}

/** Request to a server. */
export interface Request {
  /** Content of a POST, as JSON or as text. */
  readonly body?: object | string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds after which the client closes its connection. */
  readonly patienceMs?: number;
}

const defaultPatienceMs = 10_000;

/** Sends one request to a live server. Resolves with `undefined` if no response arrives: it may have taken effect. */
export async function send(servers: KilledServers, path: string, request: Request = {}): Promise<Reply | undefined> {
  const { body, headers, patienceMs = defaultPatienceMs } = request;
  const url = await servers.liveUrl();
  const content = typeof body === 'string' ? body : JSON.stringify(body);
  try {
    const response = await fetch(`${url}${path}`, {
      headers: { 'content-type': 'application/json', ...headers },
      signal: AbortSignal.timeout(patienceMs),
      ...(body === undefined ? {} : { method: 'POST', body: content }),
    });
    return { status: response.status, body: await response.json() };
  } catch {
    return undefined;
  }
}

/** Returns how long a client waits for a response: often too short a time. */
export function patienceOf(random: SeededRandom): { readonly patienceMs?: number } {
  return random.below(3) === 0 ? { patienceMs: 1 + random.below(150) } : {};
}

/** Sends a request until a server answers it with anything but an overload or an outage. */
export async function sendUntilAnswered(servers: KilledServers, path: string, request: Request = {}): Promise<Reply> {
  for (;;) {
    const reply = await send(servers, path, request);
    if (reply !== undefined && reply.status !== 429 && reply.status < 500) return reply;
    await pause(200);
  }
}

/** Reads all pages of a list. */
export async function readAll<Item>(servers: KilledServers, path: string): Promise<readonly Item[]> {
  const items: Item[] = [];
  let next: string | undefined;
  do {
    const query = `${path.includes('?') ? '&' : '?'}limit=200${next === undefined ? '' : `&cursor=${encodeURIComponent(next)}`}`;
    const { status, body } = await sendUntilAnswered(servers, path + query);
    if (status !== 200) throw new Error(`GET ${path} answered with ${status}: ${JSON.stringify(body)}`);
    items.push(...(body.items as readonly Item[]));
    next = body.next;
  } while (next !== undefined);
  return items;
}
