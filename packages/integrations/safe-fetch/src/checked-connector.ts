import { isIP } from 'node:net';
import type { LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { lookUpChecked } from './checked-lookup.ts';
import type { CheckedLookupOptions } from './checked-lookup.ts';

/**
 * Creates a connector that resolves a name once, checks every address of it, and connects to one of these. A name whose addresses
 * change between check and connection gains nothing, because there is no second look-up.
 */
export function createCheckedConnector(options: CheckedLookupOptions): buildConnector.connector {
  const checked: LookupFunction = (hostname, { all }, callback) => {
    lookUpChecked(hostname, options).then(
      (addresses) => {
        const [first = ''] = addresses;
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        if (all === true) callback(null, found);
        else callback(null, first, isIP(first));
      },
      (error: unknown) => callback(error as Error, []),
    );
  };
  const connect = buildConnector({ lookup: checked });
  return (target, callback) => {
    // A literal address is never looked up.
    if (isIP(target.hostname.replace(/^\[|\]$/g, '')) === 0) return connect(target, callback);
    lookUpChecked(target.hostname, options).then(
      () => connect(target, callback),
      (error: unknown) => callback(error as Error, null),
    );
  };
}
