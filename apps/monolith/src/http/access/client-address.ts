import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { KernelError } from '@ravi/kernel';
import type { Context, MiddlewareHandler } from 'hono';

/** Returns the address of the client that sent a request; `peer` is the other end of the connection. */
export type ClientAddress = (peer: string, headers: Headers) => string;

/**
 * Creates the function that finds the address of a client whose requests pass proxies. It reads `X-Forwarded-For` and `Forwarded` from right
 * to left and stops at the first address that is not a trusted proxy, because everything to its left may be invented. If the
 * two headers disagree, or one is not readable, the address is that of the nearest proxy.
 * @throws KernelError `E_CONFIG_INVALID` for an entry that is not an address or a CIDR range
 */
export function createClientAddress(trustedProxies: readonly string[]): ClientAddress {
  if (trustedProxies.length === 0) return (peer) => plain(peer);
  const isTrusted = createIsTrusted(trustedProxies);

  return (peer, headers) => {
    const nearest = plain(peer);
    if (!isTrusted(nearest)) return nearest;
    const chains = [listOf(headers.get('x-forwarded-for')), forwarded(headers.get('forwarded'), 'for')];
    const [client = nearest, ...others] = new Set(
      chains.filter((chain) => chain.length > 0).map((chain) => firstUntrusted(chain, nearest)),
    );
    return others.length === 0 ? client : nearest;
  };

  function firstUntrusted(chain: readonly string[], nearest: string): string {
    let last = nearest;
    for (const hop of chain.toReversed()) {
      const address = plain(hop);
      if (isIP(address) === 0) return nearest;
      if (!isTrusted(address)) return address;
      last = address;
    }
    return last;
  }
}

/** Returns true if the address is one of the proxies. @throws KernelError as {@link createClientAddress} */
function createIsTrusted(trustedProxies: readonly string[]): (address: string) => boolean {
  const trusted = new BlockList();
  for (const range of trustedProxies) addRange(trusted, range);
  return (address) => {
    const family = isIP(address);
    return family !== 0 && trusted.check(address, family === 4 ? 'ipv4' : 'ipv6');
  };
}

function addRange(list: BlockList, range: string): void {
  const [address = '', bits, ...rest] = range.split('/');
  const family = isIP(address);
  const max = family === 4 ? 32 : 128;
  const prefix = bits === undefined ? max : /^\d{1,3}$/.test(bits) ? Number(bits) : -1;
  if (family === 0 || rest.length > 0 || prefix < 0 || prefix > max) {
    throw new KernelError(
      'E_CONFIG_INVALID',
      `server.trustedProxies: "${range}" must be an IP address or a range such as 10.0.0.0/8`,
    );
  }
  list.addSubnet(address, prefix, family === 4 ? 'ipv4' : 'ipv6');
}

function listOf(header: string | null): readonly string[] {
  return header === null ? [] : header.split(',').map((each) => each.trim());
}

// `for=192.0.2.43, for="[2001:db8::1]:4711";proto=https`
function forwarded(header: string | null, name: 'for' | 'proto'): readonly string[] {
  return listOf(header).map((element) => {
    const parameter = element.split(';').find((each) => each.trim().toLowerCase().startsWith(`${name}=`)) ?? '';
    return parameter
      .slice(parameter.indexOf('=') + 1)
      .replaceAll('"', '')
      .trim();
  });
}

// Without port, brackets and the prefix of an IPv4 address in IPv6.
function plain(address: string): string {
  const [, bracketed] = /^\[([^\]]*)\](?::\d+)?$/.exec(address) ?? [];
  const [, withoutPort] = /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(address) ?? [];
  return (bracketed ?? withoutPort ?? address).replace(/^::ffff:(?=\d+\.)/i, '');
}

/**
 * Finds the address and the protocol of the client of every request, for {@link addressOf} and {@link isSecureRequest}.
 * @throws KernelError as {@link createClientAddress}
 */
export function readClient(trustedProxies: readonly string[]): MiddlewareHandler {
  const clientAddress = createClientAddress(trustedProxies);
  const isTrusted = createIsTrusted(trustedProxies);
  return async (context, next) => {
    const { incoming } = (context.env ?? {}) as { readonly incoming?: IncomingMessage };
    const peer = incoming?.socket?.remoteAddress ?? '';
    const { headers, url } = context.req.raw;
    context.set('address', clientAddress(peer, headers));
    context.set('isSecure', url.startsWith('https:') || (isTrusted(plain(peer)) && usesTls(headers)));
    await next();
  };
}

// The first value is about the connection of the client. A client that invents it makes only its own cookie unusable.
function usesTls(headers: Headers): boolean {
  const [first] = [...listOf(headers.get('x-forwarded-proto')), ...forwarded(headers.get('forwarded'), 'proto')];
  return first?.toLowerCase() === 'https';
}

/** Returns true if the client sent the request over TLS, to this server or to a trusted proxy. */
export function isSecureRequest(context: Pick<Context, 'var'>): boolean {
  return context.var['isSecure'] === true;
}

/** Returns the client address of a request; empty if the app is called without a server. */
export function addressOf(context: Pick<Context, 'var'>): string {
  return (context.var['address'] as string | undefined) ?? '';
}
