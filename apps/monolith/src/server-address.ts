import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { NetworkInterfaceInfo } from 'node:os';
import { KernelError } from '@ravi/kernel';
import { isLoopback } from '@ravi/support';

/** Throws if a host is not a loopback address. @throws KernelError `E_CONFIG_INVALID` */
export function requireLoopback(host: string): void {
  if (isLoopback(host)) return;
  throw new KernelError(
    'E_CONFIG_INVALID',
    `server.host "${host}" accepts connections from other machines and needs server.tokens; without tokens use 127.0.0.1, ::1 or localhost`,
  );
}

/** Parses the value of `--port`; 0 means any free port. Returns `undefined` if absent. @throws TypeError */
export function parsePort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new TypeError(`--port must be a whole number from 0 to 65535, got "${text}"`);
}

/** Returns the URL of the address on which a server listens. */
export function urlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

// A link-local address has a meaning only together with an interface of its own machine.
function isReachable({ internal, address }: NetworkInterfaceInfo): boolean {
  return !internal && !/^(?:fe80:|169\.254\.)/i.test(address);
}

/**
 * Returns the URL at which other processes reach a server that listens on an address: for all addresses of the machine the first
 * one that is not loopback, if there is one. A loopback address is of use on this machine only.
 */
export function reachableUrlOf(
  listening: AddressInfo,
  interfaces: typeof networkInterfaces = networkInterfaces,
): string {
  const { address, family, port } = listening;
  if (address !== '0.0.0.0' && address !== '::') return urlOf(listening);
  const external = Object.values(interfaces()).flatMap((each = []) => each.filter(isReachable));
  // A socket for all addresses of IPv6 accepts connections over IPv4 too.
  const found = external.find((each) => each.family === 'IPv4') ?? external.find((each) => each.family === family);
  if (found === undefined) return urlOf({ address: '127.0.0.1', family: 'IPv4', port });
  return urlOf({ address: found.address, family: found.family, port });
}
