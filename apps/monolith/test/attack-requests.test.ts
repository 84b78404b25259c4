import assert from 'node:assert/strict';
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import type { JsonValue } from '@ravi/kernel';
import { afterAll, beforeAll, test } from 'vitest';
import { as, startSecuredServer } from './support/callers.ts';
import { pathWith, readOperations } from './support/operations.ts';
import type { DescribedOperation } from './support/operations.ts';
import { assertRefused, assertTellsNothing, openSocket, rawClient, untilClosed } from './support/raw-http.ts';
import type { RawAnswer, RawRequest } from './support/raw-http.ts';
import type { TestServer } from './support/server.ts';
import { allowedValue, wrongValues } from './support/wrong-values.ts';

const keepTool = `
export default {
  name: 'keep', description: 'Gives a document of a type.', risk: 'safe', inputSchema: { type: 'object' },
  async execute({ type, bytes }) {
    const source = { kind: 'bytes', bytes: new Uint8Array(bytes) };
    return { content: [{ type: 'document', mediaType: type, source }], isError: false };
  },
};`;

let server: TestServer;
let client: ReturnType<typeof rawClient>;
let operations: readonly DescribedOperation[];
let hostPaths: readonly string[];
beforeAll(async () => {
  server = await startSecuredServer({}, { 'tools/keep.mjs': keepTool });
  client = rawClient(server.url);
  operations = await readOperations(server.url, as('root'));
  hostPaths = [server.installation.folder, process.cwd()];
});
afterAll(async () => {
  client.destroy();
  await server[Symbol.asyncDispose]();
});

/** Builds a valid request of an operation, altered by `change`. */
function requestOf(operation: DescribedOperation, change: Partial<RawRequest> = {}): RawRequest {
  const { method, body, isEndless } = operation;
  const path = pathWith(operation, 'unknown');
  const headers = { 'content-type': 'application/json', ...as('root') };
  return {
    method,
    path,
    headers,
    isEndless,
    ...(body === undefined ? {} : { body: JSON.stringify(allowedValue(body)) }),
    ...change,
  };
}

function assertAnswered(answer: RawAnswer, place: string): void {
  if (answer.status >= 400) return assertRefused(answer, place, hostPaths);
  return assertTellsNothing(answer.text, place, hostPaths);
}

const tricks = [
  '..%2f..%2f..%2fetc%2fpasswd',
  '..%2fstate.db',
  '%2e%2e%2f%2e%2e%2fravi.config.json',
  '..%5c..%5cboot.ini',
  '%2fetc%2fpasswd',
  '..%252f..%252fetc',
  'file:%2f%2f%2fetc%2fpasswd',
  'a%00b',
  '%00',
  '%0d%0aset-cookie:%20a=b',
  '%zz',
  '%c0%ae%c0%ae%2f',
  '%ff%fe',
  '%ed%a0%80',
  '%E2%80%AE%F0%9F%8E%89',
  '__proto__',
  'constructor',
  'toString',
  '%27%20or%201=1%20--',
  '*',
  '-1',
  'blob_',
  'x'.repeat(5_000),
];

test('hostile ids and names find nothing on every operation', async () => {
  for (const operation of operations) {
    if (!operation.path.includes('{')) continue;
    for (const trick of tricks) {
      const place = `${operation.method} ${pathWith(operation, trick)}`;
      const answer = await client.send(requestOf(operation, { path: pathWith(operation, trick) }));
      assertAnswered(answer, place);
      assert.doesNotMatch(answer.text, /root:x:0|SQLite format|BEGIN /, place);
      assert.equal(answer.headers['set-cookie'], undefined, place);
      if (/artifacts|runs|jobs/.test(operation.path)) assert.ok([400, 404].includes(answer.status), place);
    }
  }
  for (const path of [
    '/..%2f..%2fetc%2fpasswd',
    '/../../etc/passwd',
    '/%2e%2e/%2e%2e/etc/passwd',
    '//etc/passwd',
    '/%00',
  ]) {
    assertAnswered(await client.send({ method: 'GET', path, headers: as('root') }), path);
  }
  assert.ok(readdirSync(server.installation.folder).includes('ravi.config.json'));
});

test('every rule of every query is checked, and unknown or duplicate parameters are refused', async () => {
  // The token of a completion is checked before anything else of its request.
  for (const operation of operations.filter(({ path }) => path !== '/v1/completions/{token}')) {
    const queries = ['unknownParameter=1', '__proto__=1', 'constructor=1', 'toString', '%5F%5Fproto%5F%5F[a]=1'];
    for (const { name, in: where, schema } of operation.parameters) {
      if (where !== 'query') continue;
      const { type } = schema as { readonly type?: string };
      // Query values are text, so only schemas of other types can reject one by type.
      const isText = type === undefined || type === 'string';
      const wrong = wrongValues(schema).filter(({ value }) => !isText || typeof value === 'string');
      for (const { value } of wrong) {
        queries.push(`${name}=${asText(value)}`);
      }
      const right = asText(allowedValue(schema));
      queries.push(`${name}=${right}&${name}=${right}`, `${name}[]=${right}`, `${name}[__proto__]=${right}`);
      if (type === 'integer') queries.push(`${name}=`, `${name}=many`, `${name}=NaN`, `${name}=1.5`);
    }
    for (const query of queries) {
      const path = `${pathWith(operation, 'unknown')}?${query}`;
      const place = `${operation.method} ${path}`;
      const answer = await client.send(requestOf(operation, { path }));
      assertRefused(answer, place, hostPaths);
      assert.equal(answer.status, 400, `${place}: ${answer.text}`);
    }
  }
});

test('an invalid cursor is refused on every list', async () => {
  const lists = operations.filter(({ parameters }) => parameters.some(({ name }) => name === 'cursor'));
  assert.ok(lists.length >= 5, String(lists.length));
  assert.ok(lists.some(({ path }) => path === '/v1/approvals'));
  for (const path of lists.map((list) => pathWith(list, 'unknown'))) {
    for (const cursor of ['zzz', '-1', '1.5', '9'.repeat(40), '1%27%20or%201=1', '%00']) {
      const place = `GET ${path}?cursor=${cursor}`;
      const answer = await client.send({ method: 'GET', path: `${path}?cursor=${cursor}`, headers: as('root') });
      assertRefused(answer, place, hostPaths);
      assert.equal(answer.status, 400, place);
      assert.equal(JSON.parse(answer.text).error.code, 'E_REQUEST_INVALID', place);
    }
  }
});

function asText(value: JsonValue): string {
  return encodeURIComponent(typeof value === 'string' ? value : JSON.stringify(value));
}

test('an unsupported method is refused with the supported ones', async () => {
  const methods = new Map<string, Set<string>>();
  for (const { method, path } of operations) methods.set(path, (methods.get(path) ?? new Set()).add(method));
  for (const [path, known] of methods) {
    const place = path.replaceAll(/\{\w+\}/g, 'unknown');
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']) {
      if (known.has(method)) continue;
      const answer = await client.send({ method, path: place, headers: as('root') });
      assertRefused(answer, `${method} ${place}`, hostPaths);
      assert.equal(answer.status, 405, `${method} ${place}`);
      for (const one of known) assert.ok(answer.headers.allow?.split(', ').includes(one), `${method} ${place}`);
    }
  }
});

test('a foreign host or origin is refused on every operation, open ones included', async () => {
  const foreign: readonly Record<string, string>[] = [
    { host: 'evil.example' },
    { host: '127.0.0.1.evil.example' },
    { host: 'localhost.' },
    { host: 'evil.example@127.0.0.1' },
    { origin: 'http://evil.example' },
    { origin: 'null' },
    { origin: 'http://127.0.0.1:1' },
  ];
  for (const operation of operations) {
    for (const headers of foreign) {
      const place = `${operation.method} ${operation.path} ${JSON.stringify(headers)}`;
      const right = requestOf(operation);
      const answer = await client.send({ ...right, headers: { ...right.headers, ...headers } });
      assertRefused(answer, place, hostPaths);
      assert.ok([400, 403].includes(answer.status), `${place}: ${answer.status}`);
    }
  }
});

test('a hostile header is refused or ignored, and never sent back unchanged', async () => {
  const odd: readonly Record<string, string>[] = [
    { 'x-request-id': 'a b;c="d"' },
    { 'x-request-id': 'x'.repeat(4_000) },
    { 'x-request-id': '\u00e9\u00ff' },
    { 'last-event-id': '-1' },
    { 'last-event-id': '9'.repeat(400) },
    { range: 'bytes=0-0,1-1,-1' },
    { range: `bytes=${'9'.repeat(300)}-` },
    { cookie: `ravi_session=${'a'.repeat(43)}; `.repeat(50) },
    { accept: 'x'.repeat(8_000) },
    { 'x-forwarded-for': '127.0.0.1', 'x-forwarded-host': 'evil.example', 'x-http-method-override': 'DELETE' },
  ];
  for (const operation of operations) {
    for (const headers of odd) {
      const place = `${operation.method} ${operation.path} ${JSON.stringify(headers).slice(0, 80)}`;
      const right = requestOf(operation);
      const answer = await client.send({ ...right, headers: { ...right.headers, ...headers } });
      if (answer.status !== 204) assertAnswered(answer, place);
      assert.match(String(answer.headers['x-request-id']), /^[\w.:-]{1,128}$/, place);
    }
  }
});

test('data that is not HTTP gets a normal error, and closes its connection only', async () => {
  const head = 'GET /health HTTP/1.1\r\nhost: localhost\r\n';
  const broken: readonly (readonly [bytes: string, status: number])[] = [
    ['\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\r\n\r\n', 400],
    ['GET /health\r\n\r\n', 400],
    ['GET /health HTTP/1.1\r\n\r\n', 400],
    ['FLY /health HTTP/1.1\r\nhost: localhost\r\n\r\n', 400],
    ['GET /hea lth HTTP/1.1\r\nhost: localhost\r\n\r\n', 400],
    [`${head}x: a\rb\r\n\r\n`, 400],
    [`${head}x: a\nset-cookie : b\r\n\r\n`, 400],
    [`${head}x: \u0000\r\n\r\n`, 400],
    [`${head}content-length: 1\r\ncontent-length: 2\r\n\r\n`, 400],
    [`${head}content-length: -1\r\n\r\n`, 400],
    [`${head}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n`, 400],
    [`${head}transfer-encoding: gzip, identity\r\n\r\n`, 400],
    ['GET /health HTTP/1.1\r\nhost: a b\r\n\r\n', 400],
    ['GET http://[ HTTP/1.1\r\nhost: localhost\r\n\r\n', 400],
    [`${head}x: ${'y'.repeat(100_000)}\r\n\r\n`, 431],
    [`GET /${'y'.repeat(100_000)} HTTP/1.1\r\nhost: localhost\r\n\r\n`, 431],
  ];
  for (const [bytes, expected] of broken) {
    const socket = openSocket(server.url, bytes);
    socket.end();
    const answer = await untilClosed(socket);
    const place = JSON.stringify(bytes.slice(0, 80));
    const [headers = '', text = ''] = answer.split('\r\n\r\n', 2);
    const status = Number(/^HTTP\/1\.1 (\d+) /.exec(headers)?.[1]);
    assertRefused({ status, headers: {}, text }, place, hostPaths);
    assert.equal(status, expected, place);
  }
});

/** Stores an artifact of the given media type by a script and returns its reference. */
async function store(type: string, bytes: number): Promise<string> {
  const headers = { 'content-type': 'application/json', ...as('root') };
  const code = `await tools.keep(${JSON.stringify({ type, bytes })})`;
  const body = JSON.stringify({ kind: 'chain', code });
  const started = await client.send({ method: 'POST', path: '/v1/runs', headers, body });
  const { id } = JSON.parse(started.text);
  // The stream ends with the run.
  await client.send({ method: 'GET', path: `/v1/runs/${id}/events`, headers });
  const listed = await client.send({ method: 'GET', path: `/v1/artifacts?runId=${id}`, headers });
  const [{ ref, mediaType }] = JSON.parse(listed.text).items;
  assert.equal(mediaType, type);
  return ref;
}

test('an invalid media type, or one that would break its header, is sent as bytes', async () => {
  const none = [
    'text/plain\r\nset-cookie: a=b',
    'text/html\u0000',
    '',
    'gr\u00fc\u00dfe',
    'text',
    'a/b; c',
    `a/${'x'.repeat(9_000)}`,
  ];
  for (const type of [...none, 'text/csv', 'text/plain; charset=utf-8']) {
    const ref = await store(type, 3);
    const path = `/v1/artifacts/${ref}/content`;
    const { status, headers, text } = await client.send({ method: 'GET', path, headers: as('root') });
    assert.equal(status, 200, JSON.stringify(type));
    assert.equal(headers['content-type'], none.includes(type) ? 'application/octet-stream' : type);
    assert.equal(headers['set-cookie'], undefined);
    assert.match(headers['content-disposition'] as string, /^attachment; filename="[\w.-]+"$/);
    assert.equal(text.length, 3);
  }
});

const openFiles = '/proc/self/fd';

test.skipIf(!existsSync(openFiles))('an answer to HEAD leaves no file open', async () => {
  const path = `/v1/artifacts/${await store('application/pdf', 5_000_000)}/content`;
  for (let count = 0; count < 20; count++) {
    const { status, headers, text } = await client.send({ method: 'HEAD', path, headers: as('root') });
    assert.deepEqual([status, headers['content-length'], text], [200, '5000000', '']);
  }
  const targets = readdirSync(openFiles).map((fd) => readlinkOf(`${openFiles}/${fd}`));
  const blobs = targets.filter((target) => target.startsWith(`${server.installation.folder}/data/blobs`));
  assert.deepEqual(blobs, []);
});

// A descriptor may have been closed since the folder was read.
function readlinkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

test('the server still works afterwards', async () => {
  const { status, text } = await client.send({ method: 'GET', path: '/ready' });
  assert.equal(status, 200, text);
  assert.equal(({} as { polluted?: unknown }).polluted, undefined);
});
