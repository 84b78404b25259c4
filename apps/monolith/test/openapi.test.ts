import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { PluginEntry } from '@ravi/host';
import { test } from 'vitest';
import { startServer } from './support/server.ts';
import type { TestServer } from './support/server.ts';

/** Request as the API got it. */
interface Received {
  readonly line: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface Api extends AsyncDisposable {
  readonly url: string;
  readonly received: Received[];
}

const pet = {
  type: 'object',
  required: ['id', 'name'],
  properties: { id: { type: 'integer' }, name: { type: 'string' } },
};
const json = (schema: object): object => ({ content: { 'application/json': { schema } } });
const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } };
const photo = {
  type: 'object',
  required: ['file'],
  properties: { file: { type: 'string', contentMediaType: 'image/png' }, caption: { type: 'string' } },
};

const api = {
  openapi: '3.1.0',
  info: { title: 'Pets', version: '1' },
  security: [{ key: [] }],
  components: { schemas: { Pet: pet }, securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } },
  paths: {
    '/pets': {
      get: {
        operationId: 'listPets',
        parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer', maximum: 50 } }],
        responses: { 200: json({ type: 'array', items: { $ref: '#/components/schemas/Pet' } }) },
      },
      post: {
        operationId: 'addPet',
        requestBody: { required: true, ...json({ $ref: '#/components/schemas/Pet' }) },
        responses: { 201: json({ $ref: '#/components/schemas/Pet' }) },
      },
    },
    '/pets/{id}': {
      parameters: [id],
      get: { operationId: 'getPet', responses: { 200: json({ $ref: '#/components/schemas/Pet' }) } },
      delete: { operationId: 'deletePet', responses: { 204: {} } },
    },
    '/pets/{id}/photo': {
      parameters: [id],
      get: { operationId: 'getPhoto', responses: { 200: { content: { 'image/png': {} } } } },
      post: { operationId: 'addPhoto', requestBody: { content: { 'multipart/form-data': { schema: photo } } } },
    },
  },
};

const pixels = Buffer.from(Array.from({ length: 20_000 }, (_, index) => index % 251));

async function startApi(document: object = api): Promise<Api> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    const answer = async (): Promise<void> => {
      const line = `${method} ${url}`;
      if (line === 'GET /openapi.json') return void response.end(JSON.stringify(document));
      received.push({ line, headers, body: (await buffer(request)).toString('latin1') });
      response.setHeader('content-type', 'application/json');
      if (line.startsWith('GET /pets?')) response.end('[{"id":1,"name":"Rex"},{"id":2,"name":"Tom"}]');
      else if (line === 'POST /pets') response.writeHead(201).end('{"id":3,"name":"New"}');
      else if (line === 'GET /pets/1') response.end('{"id":1,"name":"Rex"}');
      else if (line === 'GET /pets/2') response.end('{"id":"two"}');
      else if (line === 'DELETE /pets/1') response.writeHead(204).end();
      else if (line === 'GET /pets/1/photo') response.setHeader('content-type', 'image/png').end(pixels);
      else if (line === 'POST /pets/1/photo') response.end('{"stored":true}');
      else response.writeHead(404).end(`{"error":"no pet","you sent":"${String(headers['x-key'])}"}`);
    };
    answer().catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function startWith(url: string, more: object = {}, approvals?: PluginEntry): Promise<TestServer> {
  const source = {
    use: '@ravi/openapi',
    name: 'pets',
    document: `${url}/openapi.json`,
    credentials: { key: { $env: 'PETS_KEY' } },
    allowPrivateAddresses: true,
    trust: true,
    ...more,
  };
  const approvalHandler = approvals === undefined ? {} : { approvalHandler: approvals };
  const plugins = { toolSource: [source], ...approvalHandler };
  return startServer({ plugins }, {}, { env: { PETS_KEY: 'key-of-the-pets' } });
}

const allowAll = { use: '@ravi/approval-auto', rules: [{ decision: 'approved' }] };

test('operations are tools: a script reads through them with types, and changes pass the gate', async () => {
  await using pets = await startApi();
  await using server = await startWith(pets.url);
  const { body } = await server.get('/v1/tools');
  const risks = Object.fromEntries(
    (body.items as readonly { readonly name: string; readonly risk?: string }[]).map(({ name, risk }) => [name, risk]),
  );
  assert.equal(risks['pets__listPets'], 'safe');
  assert.equal(risks['pets__addPet'], 'high');
  assert.equal(risks['pets__deletePet'], 'critical');

  const script = `
    const all = await tools.pets__listPets({ limit: 10 });
    const one = await tools.pets__getPet({ id: all[0].id });
    const removed = await tools.pets__deletePet.safe({ id: 1 });
    return [all.length, one.name, removed.error.code];`;
  assert.deepEqual((await server.chain(script)).body.value, [2, 'Rex', 'E_APPROVAL_DENIED']);
  assert.deepEqual(
    pets.received.map(({ line }) => line),
    ['GET /pets?limit=10', 'GET /pets/1'],
  );
  for (const { headers } of pets.received) assert.equal(headers['x-key'], 'key-of-the-pets');
});

test('an approved change runs once, with its body', async () => {
  await using pets = await startApi();
  await using server = await startWith(pets.url, {}, allowAll);
  const added = await server.post('/v1/tools/pets__addPet', { args: { body: { id: 3, name: 'New' } } });
  assert.equal(added.body.status, 'ok');
  assert.deepEqual(added.body.structured, { id: 3, name: 'New' });
  assert.deepEqual(
    pets.received.map(({ line, body }) => [line, body]),
    [['POST /pets', '{"id":3,"name":"New"}']],
  );
});

test('arguments and results are checked against the document', async () => {
  await using pets = await startApi();
  await using server = await startWith(pets.url);
  const codeOf = async (tool: string, args: object): Promise<unknown> =>
    (await server.post(`/v1/tools/${tool}`, { args })).body.error?.code;
  assert.equal(await codeOf('pets__listPets', { limit: 51 }), 'E_ARGUMENTS_INVALID');
  assert.equal(await codeOf('pets__getPet', { id: '../1' }), 'E_ARGUMENTS_INVALID');
  assert.equal(await codeOf('pets__getPet', { id: 1, other: 2 }), 'E_ARGUMENTS_INVALID');
  assert.deepEqual(pets.received, []);
  assert.equal(await codeOf('pets__getPet', { id: 2 }), 'E_OUTPUT_INVALID');
  const missing = await server.post('/v1/tools/pets__getPet', { args: { id: 9 } });
  assert.equal(missing.body.error.code, 'E_HTTP_404');
  assert.match(missing.body.text, /GET \/pets\/\{id\} ended with HTTP 404: .*no pet/);
  assert.ok(!JSON.stringify(missing.body).includes('key-of-the-pets'));
});

test('a picture becomes an artifact, and an artifact the file of a form', async () => {
  await using pets = await startApi();
  await using server = await startWith(pets.url, {}, allowAll);
  const script = `
    await tools.pets__getPhoto({ id: 1 });
    return true;`;
  assert.equal((await server.chain(script)).body.value, true);
  const fetched = await server.post('/v1/tools/pets__getPhoto', { sessionId: 'pictures', args: { id: 1 } });
  const [file] = fetched.body.files as readonly {
    readonly artifactRef: string;
    readonly mediaType: string;
    readonly bytes: number;
  }[];
  assert.deepEqual([file?.mediaType, file?.bytes], ['image/png', pixels.length]);
  const sent = await server.post('/v1/tools/pets__addPhoto', {
    sessionId: 'pictures',
    args: { id: 1, body: { file: { $artifact: file?.artifactRef }, caption: 'A "pet"' } },
  });
  assert.equal(sent.body.status, 'ok', JSON.stringify(sent.body));
  const form = pets.received.at(-1);
  assert.match(form?.headers['content-type'] ?? '', /^multipart\/form-data; boundary=/);
  assert.ok(form?.body.includes(pixels.toString('latin1')));
  assert.match(form?.body ?? '', /name="file"; filename="blob_[0-9a-f]{32}"\r\nContent-Type: image\/png\r\n\r\n/);
  assert.match(form?.body ?? '', /name="caption"\r\n\r\nA "pet"\r\n/);
});

test('a source that is not trusted asks for each call, and a document of another host reaches no server', async () => {
  await using pets = await startApi();
  await using stranger = await startApi({ ...api, servers: [{ url: pets.url }] });
  await using careful = await startWith(pets.url, { trust: false });
  assert.equal((await careful.post('/v1/tools/pets__listPets', { args: { limit: 1 } })).body.status, 'denied');
  await using misled = await startWith(stranger.url);
  assert.equal(
    (await misled.get('/v1/tools')).body.items.some(({ name }: { name: string }) => name.startsWith('pets__')),
    false,
  );
  assert.deepEqual([...pets.received, ...stranger.received], []);
});
