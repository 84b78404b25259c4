import assert from 'node:assert/strict';
import type { networkInterfaces } from 'node:os';
import type { AddressInfo } from 'node:net';
import { isKernelError } from '@ravi/kernel';
import { openMonolith } from '@ravi/monolith';
import { test } from 'vitest';
import { partsOf } from '../src/container.ts';
import { programVersion } from '../src/program-version.ts';
import { reachableUrlOf } from '../src/server-address.ts';
import { as, startSecuredServer } from './support/callers.ts';
import { createInstallation } from './support/installation.ts';
import { shareStore } from './support/shared-store.ts';
import { storeCases } from './support/state-stores.ts';

const own = programVersion({}, {});

for (const store of storeCases) {
  store.test(`the servers of a store are listed with address and version until they end (${store.name})`, async () => {
    await using shared = await shareStore(store);
    await using one = await shared.start({ server: { version: 'blue' } });
    await using two = await shared.start(
      { server: { advertisedAddress: 'https://two.example.org' } },
      {},
      { env: { RAVI_VERSION: 'build-7' } },
    );
    const list = async () => (await one.get('/v1/processes')).body.items;
    const shown = (await list()).map(({ address, version, epoch, isAlive, deadAfterMs }: Listed) => [
      address,
      version,
      epoch,
      isAlive,
      deadAfterMs,
    ]);
    assert.deepEqual(shown, [
      [one.url, `${own}+blue`, 1, true, 10_000],
      ['https://two.example.org', `${own}+build-7`, 1, true, 10_000],
    ]);
    await two.shutDown();
    assert.deepEqual(
      (await list()).map(({ address }: Listed) => address),
      [one.url],
    );
  });
}

interface Listed {
  readonly address: string;
  readonly version: string;
  readonly epoch: number;
  readonly isAlive: boolean;
  readonly deadAfterMs: number;
}

test('only admins list processes', async () => {
  await using server = await startSecuredServer();
  for (const name of ['ada', 'eve'] as const) assert.equal((await server.get('/v1/processes', as(name))).status, 403);
  assert.equal((await server.get('/v1/processes', as('root'))).body.items.length, 1);
});

test('a process that does not listen has no record before it executes a run', async () => {
  await using installation = await createInstallation();
  const { folder: cwd, configPath } = installation;
  await using monolith = await openMonolith({ cwd, configPath, env: {}, isServer: true });
  const { durable } = partsOf(monolith.container);
  assert.ok(durable);
  const listed = async (): Promise<number> => (await durable.store.processes.list()).items.length;
  assert.equal(await listed(), 0);
  await durable.runs.startChain({ code: 'return 7', runId: 'run_1', sessionId: 'session_1' });
  assert.equal(await listed(), 1);
});

test('a build of other characters than the configuration allows is refused', () => {
  assert.equal(programVersion({}, { RAVI_VERSION: '' }), own);
  assert.equal(programVersion({ version: 'a' }, { RAVI_VERSION: 'b' }), `${own}+a`);
  for (const build of ['two words', 'x'.repeat(101)]) {
    assert.throws(
      () => programVersion({}, { RAVI_VERSION: build }),
      (error) => isKernelError(error, 'E_CONFIG_INVALID') && /RAVI_VERSION/.test(error.message),
    );
  }
});

type Interfaces = ReturnType<typeof networkInterfaces>;

test('others reach a server that listens on all addresses at the first one that is not loopback', () => {
  const network = (...addresses: readonly string[]): (() => Interfaces) => {
    const found = addresses.map((address) => {
      const internal = address === '127.0.0.1' || address === '::1';
      return { address, internal, family: address.includes(':') ? 'IPv6' : 'IPv4' };
    });
    return () => ({ all: found }) as unknown as Interfaces;
  };
  const at = (address: string): AddressInfo => ({
    address,
    port: 7341,
    family: address.includes(':') ? 'IPv6' : 'IPv4',
  });
  const cases: readonly (readonly [string, () => Interfaces, string])[] = [
    ['127.0.0.1', network('127.0.0.1', '10.0.0.7'), 'http://127.0.0.1:7341'],
    ['192.0.2.1', network('127.0.0.1', '10.0.0.7'), 'http://192.0.2.1:7341'],
    ['0.0.0.0', network('127.0.0.1', 'fe80::1', '10.0.0.7', '10.0.0.8'), 'http://10.0.0.7:7341'],
    ['0.0.0.0', network('127.0.0.1', '2001:db8::7'), 'http://127.0.0.1:7341'],
    ['::', network('::1', '2001:db8::7', '10.0.0.7'), 'http://10.0.0.7:7341'],
    ['0.0.0.0', network('169.254.1.1', '10.0.0.7'), 'http://10.0.0.7:7341'],
    ['::', network('::1', 'fe80::1', '2001:db8::7'), 'http://[2001:db8::7]:7341'],
    ['::', network(), 'http://127.0.0.1:7341'],
  ];
  for (const [address, interfaces, expected] of cases) {
    assert.equal(reachableUrlOf(at(address), interfaces), expected);
  }
});
