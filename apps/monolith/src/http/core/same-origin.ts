import type { IncomingMessage } from 'node:http';
import type { Context, MiddlewareHandler } from 'hono';
import { isLoopback } from '@ravi/support';
import { problem } from './problem.ts';

/** An `Authorization` header with an access token; its first group is the token. */
export const bearerPattern: RegExp = /^Bearer +(\S+)$/i;

/**
 * Accepts requests to a loopback name, one of `allowedHosts` or the IP address at which they arrived, if they do not come from another
 * web site. A page whose domain resolves to 127.0.0.1 (DNS rebinding) still sends that domain as `Host`.
 */
export function sameOrigin(allowedHosts: readonly string[]): MiddlewareHandler {
  // Nearly every request has the same host as the previous one.
  let known: string | undefined;
  const isOwn = (host: string): boolean => {
    const hostname = hostnameOf(`http://${host}`);
    return isLoopback(hostname) || allowedHosts.includes(hostname);
  };
  return async (context, next) => {
    const host = context.req.header('host') ?? '';
    if (host !== known) {
      const isFound = isOwn(host);
      if (!isFound && !isArrival(context, host)) {
        throw problem(
          'E_ORIGIN_FORBIDDEN',
          `The host "${host}" is not this server; address it as 127.0.0.1 or localhost`,
        );
      }
      // Another connection may have arrived at another address.
      if (isFound) known = host;
    }
    const origin = context.req.header('origin');
    if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`) {
      throw problem('E_ORIGIN_FORBIDDEN', `The origin "${origin}" may not use this server`);
    }
    // Browsers send at least one of the two; a program without them has an access token. Other credentials, for example those
    // of a proxy, leave the cookie to name the caller.
    const changes = context.req.method !== 'GET' && context.req.method !== 'HEAD';
    const hasToken = bearerPattern.test(context.req.header('authorization') ?? '');
    const usesCookie = context.req.header('cookie') !== undefined && !hasToken;
    const saysOrigin = origin !== undefined || context.req.header('sec-fetch-site') === 'same-origin';
    if (changes && usesCookie && !saysOrigin) {
      throw problem('E_ORIGIN_FORBIDDEN', 'A request with a cookie must have an Origin header');
    }
    // Links from other sites lead to pages of the console, never to the API.
    const site = context.req.header('sec-fetch-site') ?? 'none';
    if (site !== 'same-origin' && site !== 'none' && /^\/(?:v1\/|mcp$)/.test(context.req.path)) {
      throw problem('E_ORIGIN_FORBIDDEN', 'Requests from pages of other sites are refused');
    }
    await next();
  };
}

/** True for the IP address of this machine at which the connection of a request arrived. */
function isArrival(context: Context, host: string): boolean {
  const { incoming } = (context.env ?? {}) as { readonly incoming?: IncomingMessage };
  const address = incoming?.socket?.localAddress?.replace(/^::ffff:(?=\d+\.)/, '');
  return address !== undefined && hostnameOf(`http://${host}`) === (address.includes(':') ? `[${address}]` : address);
}

function hostnameOf(url: string): string {
  return URL.parse(url)?.hostname ?? '';
}
