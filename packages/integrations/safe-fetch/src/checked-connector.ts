import { lookup as resolve } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { addressKind } from './address-kind.ts';
import { refused } from './errors.ts';

/** Returns the IP addresses of a host name. */
export type AddressLookup = (hostname: string) => Promise<readonly string[]>;

/** Options of {@link createCheckedConnector}. */
export interface CheckedConnectorOptions {
  readonly allowPrivateAddresses: boolean;
  readonly lookup?: AddressLookup | undefined;
}

/**
 * Creates a connector that resolves a name once, checks every address of it, and connects to one of these. A name whose addresses
 * change between check and connection gains nothing, because there is no second look-up.
 */
export function createCheckedConnector(options: CheckedConnectorOptions): buildConnector.connector {
  const { lookup = systemLookup } = options;
  const checked: LookupFunction = (hostname, { all }, callback) => {
    lookup(hostname).then(
      (addresses) => {
        const problem = problemWith(hostname, addresses, options);
        const [first] = addresses;
        if (problem !== undefined) callback(problem, []);
        else if (first === undefined) callback(refused(`${hostname} has no address`), []);
        else if (all === true)
          callback(
            null,
            addresses.map((address) => ({ address, family: isIP(address) })),
          );
        else callback(null, first, isIP(first));
      },
      (error: unknown) => callback(error as Error, []),
    );
  };
  const connect = buildConnector({ lookup: checked });
  return (target, callback) => {
    // A literal address is never looked up.
    const literal = target.hostname.replace(/^\[|\]$/g, '');
    const problem = isIP(literal) === 0 ? undefined : problemWith(literal, [literal], options);
    if (problem === undefined) connect(target, callback);
    else callback(problem, null);
  };
}

function problemWith(
  hostname: string,
  addresses: readonly string[],
  { allowPrivateAddresses }: CheckedConnectorOptions,
): Error | undefined {
  for (const address of addresses) {
    const kind = addressKind(address);
    if (kind === 'never') return refused(`${hostname} has an address at which no server is reached`);
    if (kind === 'private' && !allowPrivateAddresses)
      return refused(`${hostname} has a private address, which needs allowPrivateAddresses`);
  }
  return undefined;
}

async function systemLookup(hostname: string): Promise<readonly string[]> {
  const found = await resolve(hostname, { all: true });
  return found.map(({ address }) => address);
}
