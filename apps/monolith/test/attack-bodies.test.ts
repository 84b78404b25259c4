import assert from 'node:assert/strict';
import type { JsonObject } from '@ravi/kernel';
import { afterAll, beforeAll, test } from 'vitest';
import { as, startSecuredServer } from './support/callers.ts';
import { pathWith, readOperations } from './support/operations.ts';
import type { DescribedOperation } from './support/operations.ts';
import { assertRefused, openSocket, rawClient, untilClosed } from './support/raw-http.ts';
import type { RawAnswer } from './support/raw-http.ts';
import type { TestServer } from './support/server.ts';
import { allowedValue, wrongValues } from './support/wrong-values.ts';

const json = { 'content-type': 'application/json', ...as('root') };
const depth = 10_000;

let server: TestServer;
let client: ReturnType<typeof rawClient>;
let operations: readonly DescribedOperation[];
beforeAll(async () => {
  server = await startSecuredServer();
  client = rawClient(server.url);
  operations = await readOperations(server.url, as('root'));
});
afterAll(async () => {
  client.destroy();
  await server[Symbol.asyncDispose]();
});

interface Attack {
  readonly headers?: Record<string, string>;
  readonly body: string | Uint8Array;
}

function send({ method, ...operation }: DescribedOperation, { headers = json, body }: Attack): Promise<RawAnswer> {
  return client.send({ method, path: pathWith({ method, ...operation }, 'unknown'), headers, body });
}

async function refuses(operation: DescribedOperation, attack: Attack, place: string, status = 400): Promise<string> {
  const answer = await send(operation, attack);
  const about = `${operation.method} ${operation.path} ${place}`;
  assertRefused(answer, about, [server.installation.folder, process.cwd()]);
  assert.equal(answer.status, status, `${about}: ${answer.text}`);
  return answer.text;
}

// A token in the path is checked before the body is read: see completion-attacks.test.ts.
const withBody = (): readonly DescribedOperation[] =>
  operations.filter(({ body, path }) => body !== undefined && path !== '/v1/completions/{token}');

test('every rule of every body is checked: types, bounds, choices, required and unknown keys', async () => {
  let attacks = 0;
  for (const operation of withBody()) {
    for (const { place, value } of wrongValues(operation.body ?? {})) {
      const body = JSON.stringify(value);
      const message = await refuses(operation, { body }, `${place} ${body.slice(0, 100)}`);
      assert.ok(message.includes(place.split('.').at(-1) ?? ''), `${place}: ${message}`);
      attacks++;
    }
  }
  assert.ok(attacks > 100, String(attacks));
});

test('a body that is not a JSON object in UTF-8 is refused for every declared type', async () => {
  const malformed = ['', ' ', '{', '{"a":}', "{'a':1}", '{} {}', '{"a":1,}', 'nul', '\u0000', '{"a":"\n"}', 'NaN'];
  const noObject = ['null', '1', '"text"', '[{}]', 'true'];
  const notUtf8 = [
    Buffer.from('{"unknownKey":"\xff\xfe"}', 'latin1'),
    Buffer.from([0x7b, 0xc0, 0x80, 0x7d]),
    Buffer.from('{"unknownKey":"\xed\xa0\x80"}', 'latin1'),
    Buffer.from('\ufeff{"unknownKey":1}', 'utf16le'),
  ];
  for (const operation of withBody()) {
    for (const body of [...malformed, ...noObject, ...notUtf8]) {
      await refuses(operation, { body }, Buffer.from(body).toString('latin1'));
    }
  }
});

test('a content type, charset or encoding other than plain JSON in UTF-8 is refused', async () => {
  const types = [
    '',
    'text/plain',
    'text/json',
    'application/jsonp',
    'application/x-www-form-urlencoded',
    'a'.repeat(900),
  ];
  const others: readonly Record<string, string>[] = [
    ...types.map((type) => ({ 'content-type': type })),
    { 'content-type': 'multipart/form-data; boundary=x' },
    { 'content-type': 'application/json; charset=utf-16' },
    { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    { 'content-type': 'application/json', 'content-encoding': 'identity, br' },
    {},
  ];
  for (const operation of withBody()) {
    const body = JSON.stringify(allowedValue(operation.body ?? {}));
    for (const headers of others) {
      await refuses(operation, { headers: { ...as('root'), ...headers }, body }, JSON.stringify(headers), 415);
    }
  }
});

test('a value of ten thousand levels overflows nothing in any position', async () => {
  const deep = ['['.repeat(depth) + ']'.repeat(depth), `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`];
  for (const operation of withBody()) {
    const { properties = {} } = operation.body as { readonly properties?: object };
    const whole = allowedValue(operation.body ?? {}) as JsonObject;
    for (const name of Object.keys(properties)) {
      for (const value of deep) {
        const body = JSON.stringify({ ...whole, [name]: '@' }).replace('"@"', value);
        const { status, text } = await send(operation, { body });
        const about = `${operation.method} ${operation.path} ${name}: ${status} ${text.slice(0, 300)}`;
        assert.ok(status < 500, about);
        assert.ok(status >= 400 || operation.path.startsWith('/v1/tools') || name === 'metadata', about);
      }
    }
  }
  // As deep as the largest body allows.
  for (const levels of [depth, 600_000]) {
    const args = `{"args":${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}}`;
    const { status, text } = await client.send({ method: 'POST', path: '/v1/tools/echo', headers: json, body: args });
    assert.equal(status, 400, text);
    assert.match(JSON.parse(text).error.message, /^The body nests deeper than 256 levels$/);
  }
});

test('a body that would take long to parse is refused, and nesting within its limit reaches the gates', async () => {
  const call = async (data: string): Promise<RawAnswer> =>
    client.send({ method: 'POST', path: '/v1/tools/echo', headers: json, body: `{"args":{"data":${data}}}` });
  for (const [data, message] of [
    [`${'['.repeat(1_900_000)}${']'.repeat(1_900_000)}`, 'The body nests deeper than 256 levels'],
    [`[${'{},'.repeat(1_000_000)}{}]`, 'The body holds more than 262144 values'],
  ] as const) {
    const { status, text } = await call(data);
    assert.equal(status, 400, text);
    assert.equal(JSON.parse(text).error.message, message);
  }
  const deep = await call(`${'['.repeat(200)}${']'.repeat(200)}`);
  assert.equal(JSON.parse(deep.text).error.code, 'E_ARGUMENTS_INVALID');
  assert.deepEqual(JSON.parse((await call('[[[1]]]')).text).structured, { data: [[[1]]] });
});

test('the last value of a duplicate key counts, for the check and for the operation', async () => {
  const body = '{"args":[1],"args":{"word":"first","word":"second"}}';
  const { text } = await client.send({ method: 'POST', path: '/v1/tools/echo', headers: json, body });
  assert.deepEqual(JSON.parse(text).structured, { word: 'second' });
  const wrongLast = '{"args":{},"args":[1]}';
  const answer = await client.send({ method: 'POST', path: '/v1/tools/echo', headers: json, body: wrongLast });
  assert.equal(answer.status, 400);
});

test('a body announced above the limit is refused before it is sent', async () => {
  const answers = withBody().map(async (operation) => {
    const { method, path } = operation;
    const head = `${method} ${pathWith(operation, 'unknown')} HTTP/1.1\r\nhost: localhost\r\nauthorization: ${json.authorization}\r\n`;
    const socket = openSocket(
      server.url,
      `${head}content-type: application/json\r\ncontent-length: 1000000000000\r\n\r\n`,
    );
    const answer = await untilClosed(socket);
    assert.match(answer, /^HTTP\/1\.1 413 /, `${method} ${path}`);
    assert.match(answer, /"code":"E_BODY_TOO_LARGE"/, `${method} ${path}`);
  });
  await Promise.all(answers);
});

test('an endless body is refused at the limit, and no more of it is read', async () => {
  const head = `POST /v1/tools/echo HTTP/1.1\r\nhost: localhost\r\nauthorization: ${json.authorization}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`;
  const socket = openSocket(server.url, head);
  const chunk = `10000\r\n${' '.repeat(65_536)}\r\n`;
  let sent = 0;
  const feed = (): void => {
    while (!socket.destroyed && socket.write(chunk)) sent += chunk.length;
  };
  socket.on('drain', feed);
  feed();
  const answer = await untilClosed(socket);
  assert.match(answer, /^HTTP\/1\.1 413 /);
  assert.ok(sent < 200_000_000, String(sent));
});

test('the server still works afterwards', async () => {
  const { status, text } = await client.send({ method: 'GET', path: '/ready' });
  assert.equal(status, 200, text);
  assert.equal(({} as { polluted?: unknown }).polluted, undefined);
  const called = await client.send({ method: 'POST', path: '/v1/tools/echo', headers: json, body: '{"args":{"a":1}}' });
  assert.deepEqual(JSON.parse(called.text).structured, { a: 1 });
});
