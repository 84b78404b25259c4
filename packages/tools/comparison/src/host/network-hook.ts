import dns from 'node:dns';
import type { LookupAddress, LookupOptions } from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';

/** Address that the names of public canary hosts have. No packet goes there. */
export const publicAddress = '93.184.215.14';

type Connect = (request: unknown, address: string, port: number) => number;

interface TcpPrototype {
  connect: Connect;
  connect6: Connect;
}

/** Returns the address of a canary name at its n-th look-up, counted from 0; `undefined` for any other name. */
function addressOf(name: string, count: number): string | undefined {
  if (name === 'localhost') return '127.0.0.1';
  if (name === 'public.canary.example') return publicAddress;
  if (name === 'metadata.canary.example') return '169.254.169.254';
  if (name === 'rebinding.canary.example') return count === 0 ? publicAddress : '127.0.0.1';
  return undefined;
}

/**
 * Leads each outgoing connection of this process to the canary server, below all checks of addresses, and reports the address that was asked
 * for. Names are looked up here. So no packet leaves the machine.
 */
export function hookNetwork(port: number, onConnection: (address: string) => void): void {
  const { binding } = process as unknown as { binding(name: string): { readonly TCP: { prototype: TcpPrototype } } };
  const tcp = binding.call(process, 'tcp_wrap').TCP.prototype;
  const { connect, connect6 } = tcp;
  tcp.connect = function (request, address) {
    onConnection(address);
    return connect.call(this, request, '127.0.0.1', port);
  };
  tcp.connect6 = function (request, address) {
    onConnection(address);
    return connect6.call(this, request, '::ffff:127.0.0.1', port);
  };
  const counts = new Map<string, number>();
  const lookUp = async (name: string, options: LookupOptions): Promise<LookupAddress | LookupAddress[]> => {
    const count = counts.get(name) ?? 0;
    counts.set(name, count + 1);
    const address = addressOf(name, count);
    if (address === undefined) throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' });
    const found = { address, family: 4 };
    return options.all === true ? [found] : found;
  };
  type Callback = (error: Error | null, address?: string | LookupAddress[], family?: number) => void;
  const lookUpWithCallback = (name: string, options: LookupOptions | Callback, callback?: Callback): void => {
    const done = typeof options === 'function' ? options : (callback as Callback);
    lookUp(name, typeof options === 'object' ? options : {}).then(
      (found) => (Array.isArray(found) ? done(null, found) : done(null, found.address, found.family)),
      (error: unknown) => done(error as Error),
    );
  };
  Object.assign(dns, { lookup: lookUpWithCallback });
  Object.assign(dns.promises, { lookup: (name: string, options: LookupOptions = {}) => lookUp(name, options) });
  syncBuiltinESMExports();
}
