import { randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import type { S3TestKeys, S3TestServer } from '../../packages/testkit/src/environment/s3-test-server.ts';
import { cephConfiguration, kmsKeyId } from './ceph-configuration.ts';
import { runOnce, startPart, waitUntil } from './parts.ts';

/** A running server; disposing it ends its processes. */
export interface S3Server extends AsyncDisposable {
  readonly access: S3TestServer;
}

const limitedBytes = 1024 * 1024;

/** Starts Ceph's monitor, one disk and the S3 gateway in `folder`, on free ports of loopback. */
export async function startRadosgw(folder: string): Promise<S3Server> {
  const [monitor, gateway] = [await freePort(), await freePort()];
  const clusterId = randomUUID();
  const configuration = join(folder, 'ceph.conf');
  writeFileSync(configuration, cephConfiguration(folder, clusterId, { monitor, gateway }));
  const command = (program: string, ...args: string[]): Promise<string> =>
    runOnce(program, ['--conf', configuration, ...args]);
  const part = (program: string, ...args: string[]): AsyncDisposable =>
    startPart(program, ['--conf', configuration, '--foreground', ...args]);

  await using parts = new AsyncDisposableStack();
  const keyring = await createKeyring(folder);
  const map = join(folder, 'monitors');
  await runOnce('monmaptool', ['--create', '--fsid', clusterId, '--addv', 'a', `[v2:127.0.0.1:${monitor}]`, map]);
  mkdirSync(join(folder, 'monitor'));
  await command('ceph-mon', '--id', 'a', '--mkfs', '--monmap', map, '--keyring', keyring);
  parts.use(part('ceph-mon', '--id', 'a'));
  await command('ceph', 'auth', 'import', '-i', keyring);

  const diskId = randomUUID();
  mkdirSync(join(folder, 'disk'));
  await command('ceph', 'osd', 'new', diskId);
  await command('ceph', 'osd', 'crush', 'add', 'osd.0', '1.0', 'root=default');
  await command('ceph-osd', '--id', '0', '--mkfs', '--osd-uuid', diskId);
  parts.use(part('ceph-osd', '--id', '0'));
  parts.use(part('radosgw', '--name', 'client.rgw'));

  const endpoint = `http://127.0.0.1:${gateway}`;
  await waitUntil(`${endpoint} answers`, async () => (await fetch(endpoint)).ok);
  const owner = await createUser(command, 'owner');
  const stranger = await createUser(command, 'stranger');
  const limited = await createUser(command, 'limited');
  const quota = ['--uid', 'limited', '--quota-scope', 'user'];
  await command('radosgw-admin', '--name', 'client.rgw', 'quota', 'set', ...quota, '--max-size', String(limitedBytes));
  await command('radosgw-admin', '--name', 'client.rgw', 'quota', 'enable', ...quota);

  await createBucket(endpoint, owner, 'tests');
  await createBucket(endpoint, limited, 'limited');

  const access = { endpoint, bucket: 'tests', kmsKeyId, owner, stranger, limited: { ...limited, bucket: 'limited' } };
  const running = parts.move();
  return { access, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

/** Writes the keys by which the parts authenticate each other, and returns the path of the file. */
async function createKeyring(folder: string): Promise<string> {
  const keyring = join(folder, 'keyring');
  const rights: readonly (readonly [string, ...string[]])[] = [
    ['mon.', 'mon', 'allow *'],
    ['client.admin', 'mon', 'allow *', 'osd', 'allow *'],
    ['osd.0', 'mon', 'allow profile osd', 'osd', 'allow *'],
    ['client.rgw', 'mon', 'allow rw', 'osd', 'allow rwx'],
  ];
  writeFileSync(keyring, '', { mode: 0o600 });
  for (const [name, ...capabilities] of rights) {
    const pairs = capabilities.flatMap((word, index) => (index % 2 === 0 ? ['--cap', word] : [word]));
    await runOnce('ceph-authtool', [keyring, '--gen-key', '--name', name, ...pairs]);
  }
  return keyring;
}

async function createUser(
  command: (program: string, ...args: string[]) => Promise<string>,
  name: string,
): Promise<S3TestKeys> {
  const keys = { accessKeyId: randomBytes(10).toString('hex'), secretAccessKey: randomBytes(20).toString('hex') };
  const identity = ['--uid', name, '--display-name', name];
  const secrets = ['--access-key', keys.accessKeyId, '--secret-key', keys.secretAccessKey];
  await command('radosgw-admin', '--name', 'client.rgw', 'user', 'create', ...identity, ...secrets);
  return keys;
}

async function createBucket(endpoint: string, credentials: S3TestKeys, bucket: string): Promise<void> {
  const client = new S3Client({ endpoint, credentials, region: 'us-east-1', forcePathStyle: true });
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  client.destroy();
}

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
  await new Promise((resolve) => server.close(resolve));
  return port;
}
