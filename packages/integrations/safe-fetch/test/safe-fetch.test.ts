import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { isKernelError } from '@ravi/kernel';
import { createSafeFetch } from '@ravi/safe-fetch';
import type { SafeFetchOptions } from '@ravi/safe-fetch';
import { startLoopbackServer } from '@ravi/testkit';
import { test } from 'vitest';

const refused = (pattern: RegExp) => (error: unknown) =>
  isKernelError(error, 'E_FETCH_REFUSED') && pattern.test(error.message);

/** Names of tests, all on this machine; a list is used up one by one. */
function names(entries: Readonly<Record<string, readonly (readonly string[])[]>>): {
  readonly lookup: (name: string) => Promise<readonly string[]>;
  readonly asked: string[];
} {
  const asked: string[] = [];
  const left = new Map(Object.entries(entries).map(([name, answers]) => [name, [...answers]]));
  const lookup = async (name: string): Promise<readonly string[]> => {
    asked.push(name);
    const answers = left.get(name) ?? [];
    const [answer] = answers.length > 1 ? answers.splice(0, 1) : answers;
    if (answer === undefined) throw new Error(`no such name: ${name}`);
    return answer;
  };
  return { lookup, asked };
}

const local: Pick<SafeFetchOptions, 'allowPrivateAddresses'> = { allowPrivateAddresses: true };
const portOf = (url: string): string => new URL(url).port;

async function startServer(listener: RequestListener): Promise<{ readonly url: string } & AsyncDisposable> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('an allowed server is reached, with method, headers and body as given', async () => {
  await using server = await startLoopbackServer(() => ({ body: { ok: true }, status: 201, headers: { 'x-a': 'b' } }));
  await using fetch = createSafeFetch(local);
  const response = await fetch(`${server.url}/things?a=1`, {
    method: 'PUT',
    headers: { authorization: 'Bearer t', 'content-type': 'application/json' },
    body: '{"x":1}',
  });
  assert.ok(response instanceof Response);
  assert.equal(response.status, 201);
  assert.equal(response.headers.get('x-a'), 'b');
  assert.equal(response.url, `${server.url}/things?a=1`);
  assert.equal(response.redirected, false);
  assert.deepEqual(await response.json(), { ok: true });
  const [request] = server.requests;
  assert.equal(request?.method, 'PUT');
  assert.equal(request?.headers.authorization, 'Bearer t');
  assert.deepEqual(request?.body, { x: 1 });
});

test('requests, forms and streams are sent as the platform sends them', async () => {
  await using server = await startLoopbackServer(() => ({ body: {} }));
  await using fetch = createSafeFetch(local);
  await fetch(new Request(`${server.url}/a`, { method: 'POST', body: 'text', headers: { 'x-b': 'c' } }));
  const form = new FormData();
  form.set('file', new Blob(['content'], { type: 'text/plain' }), 'a.txt');
  await fetch(`${server.url}/b`, { method: 'POST', body: form });
  await fetch(`${server.url}/c`, { method: 'POST', body: new URLSearchParams({ q: 'ä' }) });
  await fetch(new URL(`${server.url}/d`), { method: 'POST', body: new Blob(['piece']).stream(), duplex: 'half' });
  const [first, second, third, fourth] = server.requests;
  assert.deepEqual([first?.body, first?.headers['x-b']], ['text', 'c']);
  assert.match(second?.headers['content-type'] ?? '', /^multipart\/form-data; boundary=/);
  assert.match(String(second?.body), /filename="a.txt"[^]*content/);
  assert.equal(third?.body, 'q=%C3%A4');
  assert.equal(fourth?.body, 'piece');
});

test('a private address is refused before anything is sent, in every spelling', async () => {
  await using server = await startLoopbackServer(() => ({ body: 'secret' }));
  await using fetch = createSafeFetch({ allowPrivateAddresses: false });
  const port = portOf(server.url);
  const hosts = [
    '127.0.0.1',
    'localhost',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '127.0.0.1.',
  ];
  for (const host of hosts) {
    await assert.rejects(fetch(`http://${host}:${port}/`), refused(/private address/), host);
  }
  assert.equal(server.requests.length, 0);
});

test('metadata, link-local and unspecified addresses are refused even if private ones are allowed', async () => {
  const { lookup } = names({ 'metadata.test': [['169.254.169.254']], 'mixed.test': [['127.0.0.1', 'fe80::1']] });
  await using fetch = createSafeFetch({ ...local, lookup });
  for (const host of [
    '169.254.169.254',
    '[fe80::1]',
    '0.0.0.0',
    '[::]',
    '[fd00:ec2::254]',
    'metadata.test',
    'mixed.test',
  ]) {
    await assert.rejects(fetch(`http://${host}:8080/`), refused(/no server is reached/), host);
  }
});

test('a public name with one private address is refused', async () => {
  const { lookup } = names({ 'api.test': [['93.184.216.34', '10.0.0.1']] });
  await using fetch = createSafeFetch({ allowPrivateAddresses: false, lookup });
  await assert.rejects(fetch('http://api.test/'), refused(/api\.test has a private address/));
});

test('a name that changes its address is checked for each connection and resolved once for each', async () => {
  const { lookup, asked } = names({ 'rebind.test': [['127.0.0.1'], ['169.254.169.254']] });
  await using server = await startLoopbackServer(() => ({ body: 'ok', headers: { connection: 'close' } }));
  await using fetch = createSafeFetch({ ...local, lookup });
  const url = `http://rebind.test:${portOf(server.url)}/`;
  assert.equal(await (await fetch(url)).text(), 'ok');
  assert.deepEqual(asked, ['rebind.test']);
  await assert.rejects(fetch(url), refused(/no server is reached/));
  assert.equal(server.requests.length, 1);
});

test('a redirect to a forbidden address is refused', async () => {
  await using server = await startLoopbackServer(() => ({
    status: 302,
    headers: { location: 'http://169.254.169.254/latest/meta-data/' },
    body: '',
  }));
  await using fetch = createSafeFetch(local);
  await assert.rejects(fetch(server.url), refused(/no server is reached/));
});

test('only pinned hosts are called, redirects included', async () => {
  const { lookup } = names({ 'api.test': [['127.0.0.1']], 'other.test': [['127.0.0.1']] });
  await using server = await startLoopbackServer(({ path }) =>
    path === '/moved'
      ? { status: 301, headers: { location: '/here' }, body: '' }
      : path === '/away'
        ? { status: 301, headers: { location: `http://other.test:${portOf(server.url)}/` }, body: '' }
        : { body: 'here' },
  );
  const port = portOf(server.url);
  await using fetch = createSafeFetch({ ...local, lookup, pinnedHosts: [`api.test:${port}`] });
  const response = await fetch(`http://api.test:${port}/moved`);
  assert.equal(await response.text(), 'here');
  assert.equal(response.redirected, true);
  assert.equal(response.url, `http://api.test:${port}/here`);
  await assert.rejects(fetch(`http://api.test:${port}/away`), refused(/other\.test/));
  await assert.rejects(fetch(`http://other.test:${port}/`), refused(/other\.test/));
  await assert.rejects(fetch('http://api.test/'), refused(/api\.test is not/));
});

test('only allowed addresses are called, redirects included', async () => {
  const { lookup } = names({ 'api.test': [['127.0.0.1']], 'other.test': [['127.0.0.1']] });
  await using server = await startLoopbackServer(({ path }) =>
    path === '/away'
      ? { status: 302, headers: { location: `http://other.test:${portOf(server.url)}/` }, body: '' }
      : { body: 'here' },
  );
  const port = portOf(server.url);
  const isAddressAllowed = ({ hostname }: URL): boolean => hostname === 'api.test';
  await using fetch = createSafeFetch({ ...local, lookup, isAddressAllowed });
  assert.equal(await (await fetch(`http://api.test:${port}/`)).text(), 'here');
  await assert.rejects(
    fetch(`http://api.test:${port}/away`),
    refused(/other\.test:\d+ is not called after a redirect/),
  );
  await assert.rejects(fetch(`http://other.test:${port}/`), refused(/other\.test:\d+ is not called; /));
  assert.equal(server.requests.length, 2);
});

test('another origin gets no secret header and no body', async () => {
  const { lookup } = names({ 'a.test': [['127.0.0.1']], 'b.test': [['127.0.0.1']] });
  await using server = await startLoopbackServer(({ path }) =>
    path.startsWith('/to/')
      ? { status: Number(path.slice(4)), headers: { location: `http://b.test:${portOf(server.url)}/end` }, body: '' }
      : { body: 'end' },
  );
  await using fetch = createSafeFetch({ ...local, lookup });
  const from = `http://a.test:${portOf(server.url)}`;
  const headers = {
    authorization: 'Bearer t',
    cookie: 'a=b',
    'x-api-key': 'k',
    'proxy-authorization': 'p',
    accept: 'text/plain',
    'mcp-protocol-version': '2025-11-25',
  };
  assert.equal(await (await fetch(`${from}/to/302`, { headers })).text(), 'end');
  const sent = server.requests.at(-1)?.headers ?? {};
  for (const name of ['authorization', 'cookie', 'x-api-key', 'proxy-authorization'])
    assert.equal(sent[name], undefined, name);
  assert.equal(sent.accept, 'text/plain');
  assert.equal(sent['mcp-protocol-version'], '2025-11-25');

  const post = { method: 'POST', headers: { ...headers, 'content-type': 'text/plain' }, body: 'client_secret=s' };
  assert.equal(await (await fetch(`${from}/to/303`, post)).text(), 'end');
  assert.deepEqual([server.requests.at(-1)?.method, server.requests.at(-1)?.body], ['GET', '']);
  assert.equal(server.requests.at(-1)?.headers['content-type'], undefined);
  const before = server.requests.length;
  await assert.rejects(fetch(`${from}/to/307`, post), refused(/request with a body/));
  await assert.rejects(fetch(`${from}/to/308`, { ...post, method: 'PUT' }), refused(/request with a body/));
  assert.equal(server.requests.length, before + 2);
});

test('the same origin gets the same request again', async () => {
  await using server = await startLoopbackServer(({ path }) =>
    path === '/old' ? { status: 308, headers: { location: '/new' }, body: '' } : { body: 'new' },
  );
  await using fetch = createSafeFetch(local);
  const headers = { authorization: 'Bearer t' };
  assert.equal(await (await fetch(`${server.url}/old`, { method: 'POST', headers, body: 'b' })).text(), 'new');
  const { method, headers: sent, body } = server.requests[1] ?? {};
  assert.deepEqual([method, sent?.authorization, body], ['POST', 'Bearer t', 'b']);
  const stream = { method: 'POST', body: new Blob(['b']).stream(), duplex: 'half' as const };
  await assert.rejects(fetch(`${server.url}/old`, stream), refused(/redirects a stream/));
});

test('a sixth redirect, a broken address and another protocol are refused', async () => {
  const targets: Record<string, string> = {
    '/loop': '/loop',
    '/file': 'file:///etc/passwd',
    '/broken': 'http://[',
    '/login': 'http://u:p@127.0.0.1/',
  };
  await using server = await startLoopbackServer(({ path }) => ({
    status: 302,
    headers: { location: targets[path] ?? '/' },
    body: '',
  }));
  await using fetch = createSafeFetch(local);
  await assert.rejects(fetch(`${server.url}/loop`), refused(/more than 5 times/));
  assert.equal(server.requests.length, 6);
  await assert.rejects(fetch(`${server.url}/file`), refused(/neither https nor http/));
  await assert.rejects(fetch(`${server.url}/broken`), refused(/not an address/));
  await assert.rejects(fetch(`${server.url}/login`), refused(/credentials/));
  await assert.rejects(fetch(`${server.url}/loop`, { redirect: 'error' }), refused(/redirects/));
  assert.equal((await fetch(`${server.url}/loop`, { redirect: 'manual' })).status, 302);
  await assert.rejects(fetch('http://user:password@127.0.0.1/'), (error: Error) => {
    assert.ok(!error.message.includes('password@'));
    return isKernelError(error, 'E_FETCH_REFUSED');
  });
  await assert.rejects(fetch('data:text/plain,hello'), refused(/neither https nor http/));
});

test('a body over the limit fails, announced or not, and decompressed bytes count', async () => {
  const packed = gzipSync(Buffer.alloc(100_000));
  await using server = await startServer(({ url }, response) => {
    if (url === '/announced') response.writeHead(200, { 'content-length': 5_000 }).end('x'.repeat(5_000));
    else if (url === '/bomb') response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed);
    else if (url === '/fits') response.end('x'.repeat(1_000));
    else {
      const flood = (): void => {
        while (!response.destroyed && response.write('x'.repeat(500)));
      };
      response.on('drain', flood);
      flood();
    }
  });
  await using fetch = createSafeFetch({ ...local, maxBytes: 1_000 });
  const tooLarge = (error: unknown): boolean => isKernelError(error, 'E_FETCH_TOO_LARGE');
  assert.ok(packed.length < 500);
  assert.equal((await (await fetch(`${server.url}/fits`)).text()).length, 1_000);
  await assert.rejects(fetch(`${server.url}/announced`), tooLarge);
  assert.equal((await fetch(`${server.url}/announced`, { method: 'HEAD' })).status, 200);
  const flood = await fetch(`${server.url}/flood`);
  await assert.rejects(flood.text(), tooLarge);
  await assert.rejects(async () => (await fetch(`${server.url}/bomb`)).text(), tooLarge);
});

test('a body arrives piece by piece', async () => {
  const { promise: goOn, resolve } = Promise.withResolvers<void>();
  await using server = await startLoopbackServer(() => ({
    body: (async function* () {
      yield 'first';
      await goOn;
      yield 'second';
    })(),
  }));
  await using fetch = createSafeFetch({ ...local, maxBytes: Infinity, timeoutMs: Infinity });
  const reader = (await fetch(server.url)).body?.pipeThrough(new TextDecoderStream()).getReader();
  assert.equal((await reader?.read())?.value, 'first');
  resolve();
  assert.equal((await reader?.read())?.value, 'second');
  assert.equal((await reader?.read())?.done, true);
});

test('the time limit covers the headers and the body', async () => {
  await using server = await startServer(({ url }, response) => {
    if (url === '/body') response.write('begin');
  });
  await using fetch = createSafeFetch({ ...local, timeoutMs: 100 });
  const late = (error: unknown): boolean => isKernelError(error, 'E_FETCH_TIMEOUT');
  await assert.rejects(fetch(`${server.url}/headers`), late);
  const response = await fetch(`${server.url}/body`);
  await assert.rejects(response.text(), late);
});

test('an aborted signal ends the request, and its reason is the error', async () => {
  await using server = await startLoopbackServer(() => ({ body: ['begin'], hangs: true }));
  await using fetch = createSafeFetch(local);
  const controller = new AbortController();
  const response = await fetch(server.url, { signal: controller.signal });
  const reason = new Error('enough');
  controller.abort(reason);
  await assert.rejects(response.text(), (error) => error === reason);
  await assert.rejects(fetch(server.url, { signal: controller.signal }), (error) => error === reason);
});

test('a body that its reader cancels closes the connection', async () => {
  const closed = Promise.withResolvers<void>();
  await using server = await startServer((_request, response) => {
    response.on('close', () => closed.resolve());
    response.write('begin');
  });
  await using fetch = createSafeFetch(local);
  const response = await fetch(server.url);
  await response.body?.cancel();
  await closed.promise;
});

test('a server that cannot be reached is a TypeError, as with fetch', async () => {
  await using server = await startLoopbackServer(() => ({ body: '' }));
  const { url } = server;
  await server[Symbol.asyncDispose]();
  await using fetch = createSafeFetch(local);
  await assert.rejects(fetch(url), TypeError);
  await assert.rejects(fetch('/relative'), TypeError);
});
