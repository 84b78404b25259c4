import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { afterAll, beforeAll, test } from 'vitest';
import { openSocket, untilClosed } from './support/raw-http.ts';
import { startServer } from './support/server.ts';
import type { TestServer } from './support/server.ts';

const tools = `
const tool = (name, execute) => ({ name, description: name, risk: 'safe', inputSchema: { type: 'object' }, execute });
const held = Promise.withResolvers();
const done = { content: [{ type: 'text', text: 'done' }], isError: false };
export default [
  tool('hold', async () => { await held.promise; return done; }),
  tool('release', async () => { held.resolve(); return done; }),
  tool('large', async () => {
    const source = { kind: 'bytes', bytes: new Uint8Array(20_000_000) };
    return { content: [{ type: 'document', mediaType: 'text/plain', source }], isError: false };
  }),
];`;

let server: TestServer;
beforeAll(async () => {
  const limits = { headersTimeoutMs: 1_000, requestTimeoutMs: 1_500, unreadTimeoutMs: 1_000 };
  server = await startServer({ server: limits }, { 'tools/tools.mjs': tools }, { isServer: true });
});
afterAll(() => server[Symbol.asyncDispose]());

/** Sends `bytes` one by one until the server closes, and returns its response. */
async function drip(start: string, bytes: string): Promise<string> {
  const socket = openSocket(server.url, start);
  const closed = untilClosed(socket);
  let next = 0;
  const timer = setInterval(() => socket.writable && socket.write(bytes[next++ % bytes.length] ?? ''), 20);
  try {
    return await closed;
  } finally {
    clearInterval(timer);
  }
}

/** Waits for a promise and checks that other requests get responses meanwhile. */
async function servedMeanwhile<Value>(closing: Promise<Value>): Promise<Value> {
  let isOver = false;
  const over = closing.finally(() => (isOver = true));
  while (!isOver) assert.equal((await server.get('/health')).status, 200);
  return over;
}

test('endless headers sent byte by byte time out, and other requests are served meanwhile', async () => {
  const start = 'GET /health HTTP/1.1\r\nhost: localhost\r\n';
  const answers = await servedMeanwhile(Promise.all(Array.from({ length: 100 }, () => drip(start, 'x: y\r\n'))));
  for (const answer of answers) {
    assert.match(answer, /^HTTP\/1\.1 408 /);
    assert.match(answer, /"code":"E_REQUEST_TIMEOUT"/);
  }
});

test('a silent connection times out', async () => {
  assert.match(await servedMeanwhile(untilClosed(openSocket(server.url, ''))), /^HTTP\/1\.1 408 /);
});

test('a body sent byte by byte times out, with a length or in chunks', async () => {
  const head = 'POST /v1/chains HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n';
  const announced = drip(`${head}content-length: 100000\r\n\r\n`, ' ');
  const chunked = drip(`${head}transfer-encoding: chunked\r\n\r\n`, '1\r\n \r\n');
  for (const answer of await servedMeanwhile(Promise.all([announced, chunked]))) {
    assert.match(answer, /^HTTP\/1\.1 408 /);
  }
});

const openFiles = '/proc/self/fd';

/** Counts the artifact files that this process, which is also the server, has open. */
function openContents(): number {
  return readdirSync(openFiles).filter((fd) => isContent(`${openFiles}/${fd}`)).length;
}

function isContent(fd: string): boolean {
  try {
    const target = readlinkSync(fd);
    return target.startsWith(`${server.installation.folder}/data/blobs`) && target.endsWith('/content');
  } catch {
    return false;
  }
}

test.skipIf(!existsSync(openFiles))('who reads nothing is given up, and a quiet request is not', async () => {
  const quiet = server.post('/v1/tools/hold', {});
  const { body: run } = await server.post('/v1/runs', { kind: 'chain', code: 'await tools.large({})' });
  // The stream ends with the run.
  await untilClosed(openSocket(server.url, `GET /v1/runs/${run.id}/events HTTP/1.0\r\nhost: localhost\r\n\r\n`));
  const [{ ref, bytes }] = (await server.get(`/v1/artifacts?runId=${run.id}`)).body.items;
  assert.equal(bytes, 20_000_000);

  const reader = openSocket(server.url, `GET /v1/artifacts/${ref}/content HTTP/1.1\r\nhost: localhost\r\n\r\n`);
  // Part of the response arrived, so the content is open; the client reads no more.
  await once(reader, 'readable');
  while (openContents() > 0) assert.equal((await server.get('/health')).status, 200);
  const received = await untilClosed(reader);
  assert.ok(received.length < bytes, String(received.length));

  await server.post('/v1/tools/release', {});
  assert.equal((await quiet).body.status, 'ok');
});
