import assert from 'node:assert/strict';
import { request } from 'node:http';
import type { ClientRequest } from 'node:http';
import { afterAll, beforeAll, test } from 'vitest';
import { as, secrets, startSecuredServer } from './support/callers.ts';
import type { CallerName } from './support/callers.ts';
import { rawClient } from './support/raw-http.ts';
import type { RawAnswer } from './support/raw-http.ts';
import type { TestServer } from './support/server.ts';

const json = { 'content-type': 'application/json' };
const levels = 4_000_000;

let server: TestServer;
let client: ReturnType<typeof rawClient>;
beforeAll(async () => {
  server = await startSecuredServer();
  client = rawClient(server.url);
});
afterAll(async () => {
  client.destroy();
  await server[Symbol.asyncDispose]();
});

function signIn(name: CallerName): Promise<RawAnswer> {
  const body = JSON.stringify({ token: secrets[name] });
  return client.send({ method: 'POST', path: '/v1/session', headers: json, body });
}

const cookieOf = ({ headers }: RawAnswer): string => headers['set-cookie']?.[0]?.split(';')[0] ?? '';

async function isSignedIn(cookie: string): Promise<boolean> {
  const { status } = await client.send({ method: 'GET', path: '/v1/session', headers: { cookie } });
  return status === 200;
}

test('a principal that signs in ten thousand times ends its own sign-ins, not those of others', async () => {
  const ofRoot = cookieOf(await signIn('root'));
  const first = cookieOf(await signIn('ada'));
  for (let round = 0; round < 101; round++) {
    const answers = await Promise.all(Array.from({ length: 100 }, () => signIn('ada')));
    assert.ok(answers.every(({ status }) => status === 200));
  }
  assert.equal(await isSignedIn(first), false);
  assert.equal(await isSignedIn(ofRoot), true);
  assert.equal(await isSignedIn(cookieOf(await signIn('ada'))), true);
});

test('a sign-in with a body above 8 KiB is refused before it is parsed', async () => {
  for (const body of ['['.repeat(levels), `{"token":"${'x'.repeat(8_192)}"}`]) {
    const { status, text } = await client.send({ method: 'POST', path: '/v1/session', headers: json, body });
    assert.equal(status, 413, text);
    assert.match(text, /E_BODY_TOO_LARGE.*8192 bytes/);
  }
});

test('a principal that opens every stream of approvals it can get leaves streams for the approvers', async () => {
  const open: ClientRequest[] = [];
  const stream = (name: CallerName): Promise<number> =>
    new Promise((resolve, reject) => {
      const sent = request(`${server.url}/v1/approvals/events`, { headers: as(name), agent: false });
      open.push(sent);
      sent.on('response', (response) => {
        response.on('error', () => undefined).resume();
        resolve(response.statusCode ?? 0);
      });
      sent.on('error', reject).end();
    });
  let opened = 0;
  while ((await stream('ada')) === 200) opened++;
  assert.ok(opened >= 100, String(opened));
  assert.equal(await stream('eve'), 200);
  for (const each of open) each.on('error', () => undefined).destroy();
});
