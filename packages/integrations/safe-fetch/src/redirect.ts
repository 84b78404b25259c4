import { refused } from './errors.ts';
import type { OutgoingRequest } from './outgoing-request.ts';

const statuses: readonly number[] = [301, 302, 303, 307, 308];

/** Headers that another origin may see. Every other one can hold a secret. */
const openHeaders: readonly string[] = [
  'accept',
  'accept-language',
  'content-language',
  'content-type',
  'mcp-protocol-version',
  'range',
  'user-agent',
];
const bodyHeaders: readonly string[] = ['content-encoding', 'content-language', 'content-length', 'content-type'];

/** Part of a response that redirects. */
interface RedirectResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
}

/** Returns the address to which a response redirects; `undefined` if it does not. */
export function redirectTarget(response: RedirectResponse, from: URL): URL | undefined {
  const location = response.headers.get('location');
  if (!statuses.includes(response.status) || location === null) return undefined;
  if (!URL.canParse(location, from.href)) throw refused(`${from.host} redirects to something that is not an address`);
  const target = new URL(location, from);
  if (from.protocol === 'https:' && target.protocol !== 'https:') {
    throw refused(`${from.host} redirects from https to ${target.protocol.slice(0, -1)}`);
  }
  return target;
}

/**
 * Returns the request that follows a redirect. Another origin gets no header that may be secret, and no body.
 * @throws KernelError `E_FETCH_REFUSED` if the body would go to another origin, or cannot be sent again
 */
export function redirectedRequest(request: OutgoingRequest, status: number, url: URL): OutgoingRequest {
  const isOther = url.origin !== request.url.origin;
  const headers = new Headers(request.headers);
  if (isOther) for (const name of request.headers.keys()) if (!openHeaders.includes(name)) headers.delete(name);
  const { method } = request;
  const becomesGet = status === 303 ? method !== 'HEAD' : status < 303 && method === 'POST';
  if (becomesGet) {
    for (const name of bodyHeaders) headers.delete(name);
    return { ...request, url, headers, method: method === 'GET' ? method : 'GET', body: undefined };
  }
  if (request.body !== undefined && isOther) {
    throw refused(`${request.url.host} redirects a request with a body to ${url.origin}`);
  }
  if (request.body instanceof ReadableStream) throw refused(`${request.url.host} redirects a stream`);
  return { ...request, url, headers };
}
