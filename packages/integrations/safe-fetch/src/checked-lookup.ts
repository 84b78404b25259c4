import { lookup as resolve } from 'node:dns/promises';
import { isIP } from 'node:net';
import { addressKind } from './address-kind.ts';
import { refused } from './errors.ts';

/** Returns the IP addresses of a host name. */
export type AddressLookup = (hostname: string) => Promise<readonly string[]>;

/** Options of {@link lookUpChecked}. */
export interface CheckedLookupOptions {
  /** True to allow addresses of this machine and of private networks. */
  readonly allowPrivateAddresses: boolean;
  /** Replaces the look-up of the system. */
  readonly lookup?: AddressLookup | undefined;
}

/**
 * Returns the addresses of a host, after a check of each: a name, an IPv4 address, or an IPv6 address with or without brackets. Connect
 * to one of these and not to the name, whose addresses may be others a moment later.
 * @throws KernelError `E_FETCH_REFUSED` if one of them is not allowed, or there is none
 * @throws Error of the look-up
 */
export async function lookUpChecked(host: string, options: CheckedLookupOptions): Promise<readonly string[]> {
  const { lookup = systemLookup } = options;
  const literal = host.replace(/^\[|\]$/g, '');
  const addresses = isIP(literal) === 0 ? await lookup(host) : [literal];
  if (addresses.length === 0) throw refused(`${host} has no address`);
  for (const address of addresses) checkAddress(literal, address, options);
  return addresses;
}

function checkAddress(host: string, address: string, { allowPrivateAddresses }: CheckedLookupOptions): void {
  const kind = addressKind(address);
  if (kind === 'never') throw refused(`${host} has an address at which no server is reached`);
  if (kind === 'private' && !allowPrivateAddresses)
    throw refused(`${host} has a private address, which needs allowPrivateAddresses`);
}

async function systemLookup(hostname: string): Promise<readonly string[]> {
  const found = await resolve(hostname, { all: true });
  return found.map(({ address }) => address);
}
