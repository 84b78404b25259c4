import { setTimeout as pause } from 'node:timers/promises';
import type { KilledServers } from './servers.ts';

/** Response of a live server. */
export interface Reply {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- the oracles read what the API documents
  readonly body: any;
}

const requestTimeoutMs = 10_000;

/** Sends one request to a live server. Resolves with `undefined` if no response arrives: it may have taken effect. */
export async function send(
  servers: KilledServers,
  path: string,
  request: { readonly body?: object; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<Reply | undefined> {
  const { body, headers } = request;
  const url = await servers.liveUrl();
  try {
    const response = await fetch(`${url}${path}`, {
      headers: { 'content-type': 'application/json', ...headers },
      signal: AbortSignal.timeout(requestTimeoutMs),
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  } catch {
    return undefined;
  }
}

/** Sends a request until a server answers it with anything but an overload or an outage. */
export async function sendUntilAnswered(
  servers: KilledServers,
  path: string,
  request: Parameters<typeof send>[2] = {},
): Promise<Reply> {
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
