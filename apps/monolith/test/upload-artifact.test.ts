import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { test } from 'vitest';
import { as, startSecuredServer } from './support/callers.ts';
import type { CallerName } from './support/callers.ts';
import { openSocket } from './support/raw-http.ts';
import type { TestServer } from './support/server.ts';

const files = {
  'tools/count.mjs': `export default {
    name: 'count', description: 'Counts the lines of a text.', risk: 'safe',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    execute: ({ text }) => ({ content: [{ type: 'text', text: String(text.split('\\n').length) }], isError: false }),
  };`,
};

interface Answered {
  readonly status: number;
  readonly location: string | null;
  // oxlint-disable-next-line typescript/no-explicit-any -- the test asserts what it reads
  readonly body: any;
}

interface Upload {
  readonly caller?: CallerName;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

async function upload(
  server: TestServer,
  content: Uint8Array<ArrayBuffer> | ReadableStream | string,
  { caller = 'ada', query = '', headers = {} }: Upload = {},
): Promise<Answered> {
  const init = { method: 'POST', headers: { ...as(caller), ...headers }, body: content, duplex: 'half' as const };
  const response = await fetch(`${server.url}/v1/artifacts${query}`, init);
  return { status: response.status, location: response.headers.get('location'), body: await response.json() };
}

/** Returns the names of all files of the artifact store. */
async function storedFiles(server: TestServer): Promise<readonly string[]> {
  const root = join(server.installation.folder, 'data/blobs');
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

function streamOf(chunks: number, bytes: number): ReadableStream<Uint8Array> {
  let left = chunks;
  return new ReadableStream({
    pull(controller) {
      if (left === 0) controller.close();
      else controller.enqueue(new Uint8Array(bytes).fill(left--));
    },
  });
}

test('an upload returns its digest, and only calls of its principal in its session can use the content', async () => {
  await using server = await startSecuredServer({}, files);
  const text = 'a\nb\nc';
  const query = '?sessionId=session-of-ada';
  const { status, location, body } = await upload(server, text, { query, headers: { 'content-type': 'text/csv' } });
  assert.equal(status, 201, JSON.stringify(body));
  assert.equal(location, `/v1/artifacts/${body.ref}`);
  assert.equal(body.sha256, createHash('sha256').update(text).digest('hex'));
  assert.deepEqual([body.bytes, body.mediaType], [5, 'text/csv']);
  assert.deepEqual(body.scope, { principal: 'ada', sessionId: 'session-of-ada' });
  const content = await fetch(`${server.url}${location}/content`, { headers: as('ada') });
  assert.deepEqual([content.headers.get('content-type'), await content.text()], ['text/csv', text]);

  const call = async (caller: CallerName, sessionId: string): Promise<string> => {
    const args = { text: { $artifact: body.ref } };
    return JSON.stringify((await server.post('/v1/tools/count', { args, sessionId }, as(caller))).body);
  };
  assert.match(await call('ada', 'session-of-ada'), /"text":"3"/);
  assert.match(await call('ada', 'another'), /E_ARTIFACT_FORBIDDEN/);
  assert.match(await call('bob', 'session-of-ada'), /E_ARTIFACT_FORBIDDEN/);
  assert.equal((await server.get(`/v1/artifacts/${body.ref}`, as('bob'))).status, 404);
});

test('an upload is refused without the role, with an encoding, or with an invalid type', async () => {
  await using server = await startSecuredServer({}, files);
  assert.equal((await upload(server, 'x', { caller: 'eve' })).status, 403);
  assert.equal((await upload(server, 'x', { query: '?sessionId=' })).status, 400);
  for (const headers of [{ 'content-encoding': 'gzip' }, { 'content-type': 'text' }, { 'content-type': 'a/b\u00e9' }]) {
    const { status, body } = await upload(server, 'x', { headers });
    assert.deepEqual([status, body.error.code], [415, 'E_CONTENT_TYPE'], JSON.stringify(headers));
  }
  assert.deepEqual(await storedFiles(server), []);
});

test('an upload that would pass the limit of the principal is cut off, leaves nothing and does not count', async () => {
  await using server = await startSecuredServer({ maxArtifactBytes: 100_000 }, files);
  // Announced: refused before it is read.
  const announced = await upload(server, new Uint8Array(100_001));
  assert.deepEqual([announced.status, announced.body.error.code], [507, 'E_ARTIFACT_QUOTA']);
  // Not announced: cut off.
  const cut = await upload(server, streamOf(30, 10_000));
  assert.deepEqual([cut.status, cut.body.error.code], [507, 'E_ARTIFACT_QUOTA'], JSON.stringify(cut.body));
  assert.deepEqual(await storedFiles(server), []);
  assert.equal((await upload(server, streamOf(10, 10_000))).status, 201);
  assert.equal((await upload(server, 'x')).status, 507);
  assert.equal((await upload(server, 'x', { caller: 'bob' })).status, 201);
});

for (const [title, head] of [
  ['announced', 'content-length: 100001\r\n'],
  ['in chunks', 'transfer-encoding: chunked\r\n'],
] as const) {
  test(`a client that sends a refused upload slowly gets the refusal, and its connection continues: ${title}`, async () => {
    await using server = await startSecuredServer({ maxArtifactBytes: 100_000 }, files);
    const { authorization } = as('ada');
    const socket = openSocket(
      server.url,
      `POST /v1/artifacts HTTP/1.1\r\nhost: localhost\r\nauthorization: ${authorization}\r\n${head}\r\n`,
    );
    let received = '';
    socket.setEncoding('latin1').on('data', (text: string) => (received += text));
    // For longer than any server waits that closes such connections.
    const piece = title === 'announced' ? 'x'.repeat(1_000) : `${(4_000).toString(16)}\r\n${'x'.repeat(4_000)}\r\n`;
    for (let sent = 0; sent < 100; sent++) {
      socket.write(piece);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    socket.write(title === 'announced' ? 'x' : '0\r\n\r\n');
    assert.match(received, /^HTTP\/1\.1 507 .*"E_ARTIFACT_QUOTA"/s);
    socket.write('GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n');
    await once(socket, 'close');
    assert.match(received, /"E_ARTIFACT_QUOTA".*HTTP\/1\.1 200 /s);
  });
}

test('an upload whose client disconnects leaves nothing and does not count', async () => {
  await using server = await startSecuredServer({ maxArtifactBytes: 1_000_000 }, files);
  await new Promise<void>((resolve) => {
    const options = { method: 'POST', headers: { ...as('ada'), 'content-length': '900000' } };
    const sending = request(`${server.url}/v1/artifacts`, options);
    sending.on('error', () => resolve());
    sending.write(new Uint8Array(500_000), () => sending.destroy(new Error('the client leaves')));
  });
  for (let attempt = 0; (await upload(server, new Uint8Array(999_000))).status === 507; attempt++) {
    assert.ok(attempt < 1_000, 'the bytes of the upload still count');
  }
  const refs = (await storedFiles(server)).filter((name) => name.endsWith('content'));
  assert.equal(refs.length, 1);
});
