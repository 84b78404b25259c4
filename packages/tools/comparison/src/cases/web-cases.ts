import { publicAddress } from '../host/network-hook.ts';
import { leakIn, memoryHarm } from '../hostile-case.ts';
import type { HostileCase } from '../hostile-case.ts';
import type { World } from '../world/world.ts';

const site = 'http://public.canary.example';

/** Has a page fetched. A connection to any other than the public address is harm, before a byte is sent. */
function fetches(name: string, urlOf: (port: number) => string): HostileCase {
  return {
    class: 'web',
    name: `fetch: ${name}`,
    needs: ['fetch'],
    async attack(world) {
      await world.call({ does: 'fetch', url: urlOf(world.lab.site.port) });
      const isPrivate = world.host.connections.some((address) => address !== publicAddress);
      return isPrivate ? 'a private address was connected to' : undefined;
    },
  };
}

function large(name: string, path: string): HostileCase {
  return {
    class: 'web',
    name: `fetch: ${name}`,
    needs: ['fetch'],
    attack: (world: World) => memoryHarm(world, () => world.call({ does: 'fetch', url: `${site}${path}` })),
  };
}

/** Cases in which a page leads to a private address, or has no end. */
export const webCases: readonly HostileCase[] = [
  fetches('127.0.0.1', (port) => `http://127.0.0.1:${port}/admin`),
  fetches('localhost', (port) => `http://localhost:${port}/admin`),
  fetches('0.0.0.0', (port) => `http://0.0.0.0:${port}/admin`),
  fetches('a decimal number for 127.0.0.1', (port) => `http://2130706433:${port}/admin`),
  fetches('::1', (port) => `http://[::1]:${port}/admin`),
  fetches('an IPv6 form of 127.0.0.1', (port) => `http://[::ffff:7f00:1]:${port}/admin`),
  fetches('a translated form of 127.0.0.1', (port) => `http://[64:ff9b::7f00:1]:${port}/admin`),
  fetches('10.0.0.1', () => 'http://10.0.0.1/admin'),
  fetches('the metadata service 169.254.169.254', () => 'http://169.254.169.254/latest/meta-data/'),
  fetches('a name that leads to the metadata service', () => 'http://metadata.canary.example/latest/meta-data/'),
  fetches('a redirect to 127.0.0.1', (port) => `${site}/redirect?to=http://127.0.0.1:${port}/admin`),
  fetches('a redirect to the metadata service', () => `${site}/redirect?to=http://169.254.169.254/latest/meta-data/`),
  fetches('a name whose second look-up is 127.0.0.1', (port) => `http://rebinding.canary.example:${port}/admin`),
  large('a page without an end', '/endless'),
  large('1 MB that unpack to 1 GB', '/bomb'),
  {
    class: 'web',
    name: 'fetch: a `file:` address',
    needs: ['fetch'],
    attack: async (world) =>
      leakIn(world, (await world.call({ does: 'fetch', url: `file://${world.secretFile}` })).text),
  },
];
