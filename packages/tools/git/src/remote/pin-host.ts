import { isIP } from 'node:net';
import { isKernelError, KernelError } from '@ravi/kernel';
import { lookUpChecked } from '@ravi/safe-fetch';
import type { AddressLookup } from '@ravi/safe-fetch';
import type { GitOptions } from '../options.ts';
import type { RemoteAddress } from './read-address.ts';

/** Configuration and options of ssh that lead a command to the addresses that were checked. */
export interface PinnedHost {
  readonly settings: readonly (readonly [key: string, value: string])[];
  readonly sshOptions: readonly string[];
}

const notPinned: PinnedHost = { settings: [], sshOptions: [] };
const proxyVariables: readonly string[] = ['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy'];

/**
 * Checks the addresses of a host and makes git and ssh connect to these, so that a name with other addresses a moment later gains
 * nothing. A name that a proxy or the `GIT_SSH_COMMAND` of the operator resolves is not looked up here.
 * @throws KernelError `E_GIT_HOST` for an address that is not allowed, or a name without one
 */
export async function pinHost(
  { allowPrivateAddresses = false, environment = {} }: GitOptions,
  { protocol, host = '', port }: RemoteAddress,
  lookup?: AddressLookup,
): Promise<PinnedHost> {
  const isLiteral = isIP(host.replace(/^\[|\]$/g, '')) !== 0;
  if (!isLiteral && isResolvedElsewhere(protocol, environment)) return notPinned;
  const addresses = await checkedAddresses(host, { allowPrivateAddresses, lookup });
  if (isLiteral) return notPinned;
  if (protocol === 'https') {
    // One entry for all addresses: https://curl.se/libcurl/c/CURLOPT_RESOLVE.html
    const listed = addresses.map((address) => (isIP(address) === 6 ? `[${address}]` : address)).join(',');
    return { settings: [['http.curloptResolve', `${host}:${port ?? '443'}:${listed}`]], sshOptions: [] };
  }
  // Keys of hosts are known by the name, and by name and port if it is not 22.
  const alias = port === undefined || port === '22' ? host : `[${host}]:${port}`;
  const options = [`-o HostName=${addresses[0]}`, `-o 'HostKeyAlias=${alias}'`, '-o CheckHostIP=no'];
  return { settings: [], sshOptions: options };
}

// With exceptions from a proxy git may connect on its own.
function isResolvedElsewhere(protocol: string, environment: Readonly<Record<string, string>>): boolean {
  const isSet = (name: string): boolean => (environment[name] ?? '') !== '';
  if (protocol !== 'https') return isSet('GIT_SSH_COMMAND');
  return proxyVariables.some(isSet) && !['NO_PROXY', 'no_proxy'].some(isSet);
}

async function checkedAddresses(
  host: string,
  options: Parameters<typeof lookUpChecked>[1],
): Promise<readonly string[]> {
  try {
    return await lookUpChecked(host, options);
  } catch (error) {
    const reason = isKernelError(error, 'E_FETCH_REFUSED') ? error.message : `${host} cannot be found`;
    throw new KernelError('E_GIT_HOST', reason, { cause: error, hadNoEffect: true });
  }
}
