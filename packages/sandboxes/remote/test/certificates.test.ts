import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { createTestCertificates } from '@ravi/sandbox-testing';
import { test } from 'vitest';
import { readTlsFiles } from '../src/index.ts';
import { createFakeSandbox, requestOf, returned } from './support/fake-sandbox.ts';
import { addressOf, createTestWorld } from './support/test-world.ts';
import type { TestWorld } from './support/test-world.ts';

const sandbox = createFakeSandbox(async () => returned('1'));
const brief = { connectTimeoutMs: 600 };

/** Asserts that a sandbox cannot be opened, for a reason that its error names. */
async function refused(opening: Promise<unknown>, reason: RegExp): Promise<void> {
  await assert.rejects(opening, (error: Error) => {
    assert.match(error.message, reason);
    return true;
  });
}

test('a client without a certificate gets no further than the handshake', async () => {
  await using world = createTestWorld();
  const node = await world.node(sandbox);
  const ca = readFileSync(world.nodeFiles.ca);
  const socket = connect({ host: '127.0.0.1', port: node.port, ca, servername: 'localhost', ALPNProtocols: ['h2'] });
  const ended = await new Promise<string>((resolve) => {
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    socket.on('close', () => resolve('closed'));
    socket.on('data', (data) => resolve(`data: ${data.length}`));
  });
  assert.match(ended, /CERTIFICATE_REQUIRED|ECONNRESET|closed/);
  assert.equal(node.health().connections, 0);
  assert.ok(world.log.messages('warn').includes('a connection was refused'));
});

test('a client without TLS gets nothing', async () => {
  await using world = createTestWorld();
  const node = await world.node(sandbox);
  await assert.rejects(fetch(`http://127.0.0.1:${node.port}/health`));
  assert.equal(node.health().connections, 0);
});

test('a server whose certificate another authority has signed is refused', async () => {
  await using world = createTestWorld();
  using other = createTestCertificates();
  const node = await world.node(sandbox);
  const { cert, key } = other.server();
  await refused(world.sandbox([node], { ...brief, cert, key }), /certificate of this server/);
  assert.equal(node.health().connections, 0);
});

test('a certificate of a node is not accepted as that of a server', async () => {
  await using world = createTestWorld();
  const node = await world.node(sandbox);
  await refused(world.sandbox([node], { ...brief, ...world.nodeFiles }), /certificate of this server/);
  assert.equal(node.health().connections, 0);
});

test('a node whose certificate another authority has signed is not used', async () => {
  await using world = createTestWorld();
  using other = createTestCertificates();
  const node = await world.node(sandbox);
  const ca = { ca: other.server().ca };
  await refused(world.sandbox([node], { ...brief, ...ca }), /not signed by the authority in ca/);
});

test('a node whose certificate has another name is not used, unless the name is configured', async () => {
  await using world = createTestWorld();
  const tls = await readTlsFiles(world.certificates.node('elsewhere', 'DNS:elsewhere.test'), '/');
  const node = await world.node(sandbox, { tls });
  await refused(world.sandbox([node], brief), /has a certificate that is not for 127\.0\.0\.1/);
  const remote = await world.sandbox([node], {
    nodes: [{ address: addressOf(node), name: 'elsewhere.test' }],
  });
  assert.equal((await remote.run(requestOf())).status, 'ok');
});

test('a node accepts only the servers that it names', async () => {
  await using world = createTestWorld();
  const node = await world.node(sandbox, { clients: ['other.test', 'ravi.test'] });
  assert.equal((await (await world.sandbox([node])).run(requestOf())).status, 'ok');
  const stranger = world.certificates.server('stranger', 'stranger.test');
  await refused(world.sandbox([node], { ...brief, ...stranger }), /closed the connection/);
  const { fields } = world.log.records.find(({ message }) => message === 'a connection was refused') ?? {};
  assert.deepEqual(fields, { subject: 'CN=stranger.test', reason: 'its certificate has none of the names in clients' });
});

test('replaced certificates are used for new connections', async () => {
  await using world = createTestWorld();
  const node = await world.node(sandbox);
  const before = await world.sandbox([node]);
  node.replaceTls(await readTlsFiles(world.certificates.node('later', 'DNS:later.test'), '/'));
  assert.equal((await before.run(requestOf())).status, 'ok');
  await refused(world.sandbox([node], brief), /not for 127\.0\.0\.1/);
});

const mistakes: Readonly<Record<string, readonly [(world: TestWorld) => object, RegExp]>> = {
  'a file that does not exist': [
    () => ({ cert: 'absent.pem' }),
    /^cert: the file absent\.pem cannot be read \(ENOENT\)$/,
  ],
  'a certificate that is not one': [
    ({ serverFiles }) => ({ cert: serverFiles.key }),
    /^cert: the file .*server-key\.pem is not a certificate in PEM$/,
  ],
  'an authority that is not one': [
    ({ serverFiles }) => ({ ca: serverFiles.cert }),
    /^ca: the file .*server\.pem is not the certificate of an authority$/,
  ],
  'a key that is not one': [
    ({ certificates }) => {
      const key = join(certificates.folder, 'broken.pem');
      writeFileSync(key, 'the secret text of a broken key');
      return { key };
    },
    /^key: the file .*broken\.pem is not a private key in PEM without a password$/,
  ],
  'the key of another certificate': [
    ({ nodeFiles }) => ({ key: nodeFiles.key }),
    /^key: the file .*node-key\.pem does not belong to the certificate .*server\.pem$/,
  ],
  'an expired certificate': [
    ({ certificates }) => certificates.node('old', 'DNS:old.test', -1),
    /^cert: the file .*old\.pem expired at \d{4}-/,
  ],
};

for (const [name, [change, message]] of Object.entries(mistakes)) {
  test(`${name} is refused by an error that names the option and the file, and no secret`, async () => {
    await using world = createTestWorld();
    await assert.rejects(
      readTlsFiles({ ...world.serverFiles, ...change(world) }, world.certificates.folder),
      (error) => {
        const { code, message: text } = error as Error & { code?: string };
        assert.equal(code, 'E_CONFIG_INVALID');
        assert.match(text, message);
        assert.doesNotMatch(String((error as Error).stack), /secret text|BEGIN/);
        return true;
      },
    );
  });
}
