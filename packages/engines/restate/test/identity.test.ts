import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:http2';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isKernelError } from '@ravi/kernel';
import { startRestate } from '@ravi/engine-testing';
import { afterAll, test } from 'vitest';
import { createRestateRunEngine } from '../src/index.ts';
import { startNoting, wake } from './support/workers.ts';

const folder = mkdtempSync(join(tmpdir(), 'ravi-restate-key-'));
const keyFile = join(folder, 'private.pem');
writeFileSync(keyFile, generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }));
const server = await startRestate({
  RESTATE_REQUEST_IDENTITY_PRIVATE_KEY_PEM_FILE: keyFile,
  RESTATE_LOG_FILTER: 'info',
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});
const { ingressUrl, adminUrl } = server;
const [publicKey = ''] = /publickeyv1_\w+/.exec(server.log()) ?? [];

test('requests with a signature of Restate are executed, others are refused', async () => {
  assert.notEqual(publicKey, '');
  const port = await freePort();
  await using engine = await createRestateRunEngine({ ingressUrl, adminUrl, port, identityKeys: [publicKey] });
  await using worker = await startNoting(engine, 1);
  await engine.wake([wake('run-1')]);
  await worker.until(() => worker.runIds.length === 1);
  assert.equal(await statusOf(port, '/invoke/ravi-engine/wake'), 401);
  assert.equal(await statusOf(port, '/discover'), 401);
});

test('a Restate with another key cannot be used', async () => {
  const other = 'publickeyv1_2G8dCQhArfvGpzPw5Vx2ALciR4xCLHfS5YaT93XjNxX9';
  await assert.rejects(
    createRestateRunEngine({ ingressUrl, adminUrl, service: 'other-key', identityKeys: [other] }),
    (error) => isKernelError(error, 'E_CONFIG_INVALID') && /401|identityKeys/.test(error.message),
  );
});

async function statusOf(port: number, path: string): Promise<number | undefined> {
  const session = connect(`http://127.0.0.1:${port}`);
  const request = session.request({ ':path': path, ':method': 'POST', 'content-type': 'application/json' });
  request.end('{}');
  const [headers] = (await once(request, 'response')) as [{ readonly ':status'?: number }];
  session.destroy();
  return headers[':status'];
}

async function freePort(): Promise<number> {
  const listening = createServer().listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const { port } = listening.address() as AddressInfo;
  listening.close();
  return port;
}
