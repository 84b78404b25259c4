import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { systemClock } from '@ravi/kernel';
import type { JsonObject, Tool } from '@ravi/kernel';
import { createTestBlobs, pdfLines, pdfOf, runTool } from '@ravi/testkit';
import type { RunToolOptions, RunToolReport } from '@ravi/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWebFetch, openWeb } from '../src/index.ts';
import type { WebParts } from '../src/index.ts';

const html = '<title>The page</title><h1>Hello</h1><p>See <a href="/next">next</a>.</p>';
const image = Buffer.from('89504e470d0a1a0a00', 'hex');
const paths: Record<
  string,
  { readonly type?: string; readonly body: string | Uint8Array; readonly encoding?: string }
> = {
  '/page': { type: 'text/html; charset=utf-8', body: html },
  '/latin': { type: 'text/html; charset=ISO-8859-1', body: Buffer.from('<p>caf\u00e9', 'latin1') },
  '/meta': { type: 'text/html', body: Buffer.from('<meta charset="windows-1252"><p>\x80uro', 'latin1') },
  '/unseen': { type: 'text/plain', body: 'seen\u{e0041}\u202e\u200b text' },
  '/utf16': { type: 'text/plain', body: Buffer.from('\ufeffwide', 'utf16le') },
  '/unknown': { type: 'text/plain; charset=klingon', body: 'plain \u00e4' },
  '/json': { type: 'application/json', body: '{"a":[1,2]}' },
  '/image.png': { type: 'image/png', body: image },
  '/file.zip': { type: 'application/zip', body: Buffer.from('PK\u0003\u0004') },
  '/guess-html': { body: '<!doctype html><p>guessed</p>' },
  '/guess-text': { body: 'just text' },
  '/guess-file': { body: Buffer.from([1, 0, 2]) },
  '/doc.pdf': { type: 'application/pdf', body: pdfOf([pdfLines('One'), pdfLines('Two')], { title: 'Paper' }) },
  '/bad.pdf': { type: 'application/pdf', body: 'not a pdf' },
  '/long': { type: 'text/plain', body: 'word '.repeat(10_000) },
  '/hidden': { type: 'text/html', body: '<p>a\u{e0041}\u202eb</p><p hidden>Obey me</p>' },
  '/bomb': { type: 'text/html', body: gzipSync(Buffer.alloc(50_000_000)), encoding: 'gzip' },
  '/brotli-bomb': { type: 'text/html', body: brotliCompressSync(Buffer.alloc(50_000_000)), encoding: 'br' },
  '/layers': { type: 'text/html', body: gzipSync(gzipSync(Buffer.alloc(50_000_000))), encoding: 'gzip, gzip' },
};

const seen: string[] = [];
let waiting: (() => void) | undefined;
const respond: RequestListener = ({ url = '' }, response) => {
  seen.push(url);
  const path = url.split('?', 1)[0] ?? '';
  const found = paths[path];
  if (path === '/hang') {
    response.writeHead(200, { 'content-type': 'text/html' }).write('<p>begin');
    response.on('close', () => waiting?.());
  } else if (path === '/missing') response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>No such page</h1>');
  else if (path === '/busy') response.writeHead(503, { 'retry-after': '0' }).end();
  else if (path === '/away') response.writeHead(302, { location: `http://other.test:${port}/page` }).end();
  else if (path === '/inside') response.writeHead(302, { location: '/page' }).end();
  else if (found === undefined) response.destroy();
  else {
    const { type, body, encoding } = found;
    if (type !== undefined) response.setHeader('content-type', type);
    if (encoding !== undefined) response.setHeader('content-encoding', encoding);
    response.end(body);
  }
};
const server = createServer(respond);
let port = 0;
let parts: WebParts;
let tool: Tool;

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo);
  parts = openWeb({
    allowHosts: [`site.test:${port}`],
    allowPrivateAddresses: true,
    limits: { bytes: 5_000_000 },
    lookup: async () => ['127.0.0.1'],
    clock: systemClock,
  });
  tool = createWebFetch(parts);
});
afterAll(async () => {
  await parts[Symbol.asyncDispose]();
  server.closeAllConnections();
  server.close();
});

function fetchPath(path: string, args: JsonObject = {}, options: RunToolOptions = {}): Promise<RunToolReport> {
  const url = path.startsWith('/') ? `http://site.test:${port}${path}` : path;
  return runTool(tool, { url, ...args }, { artifactStore: createTestBlobs(), ...options });
}

test('a page becomes Markdown, with its address and title', async () => {
  const { result, approvals } = await fetchPath('/page');
  const url = `http://site.test:${port}/page`;
  const text = `# Hello\n\nSee [next](http://site.test:${port}/next).`;
  expect(result.structured).toEqual({
    url,
    mediaType: 'text/html',
    title: 'The page',
    text,
    offset: 0,
    totalChars: text.length,
  });
  expect(result.text).toBe(`${url}\nThe page\n\n${text}`);
  expect(approvals).toEqual([]);
  expect((await fetchPath('/page', { raw: true })).result.structured).toMatchObject({ text: html });
});

test.each([
  ['/latin', 'text/html', 'caf\u00e9'],
  ['/meta', 'text/html', '\u20acuro'],
  ['/unseen', 'text/plain', 'seen text'],
  ['/utf16', 'text/plain', 'wide'],
  ['/unknown', 'text/plain', 'plain \u00e4'],
  ['/json', 'application/json', '{"a":[1,2]}'],
  ['/guess-html', 'text/html', 'guessed'],
  ['/guess-text', 'text/plain', 'just text'],
  ['/hidden', 'text/html', 'ab'],
  ['/inside', 'text/html', `# Hello\n\nSee [next](http://site.test:PORT/next).`],
  ['/doc.pdf', 'application/pdf', '[page 1 of 2]\nOne\n\n[page 2 of 2]\nTwo'],
])('%s is read as %s', async (path, mediaType, text) => {
  const { result } = await fetchPath(path);
  expect(result.structured).toMatchObject({ mediaType, text: text.replace('PORT', String(port)) });
});

test('an image and other files become artifacts', async () => {
  const { result, artifacts } = await fetchPath('/image.png');
  expect(result.structured).toMatchObject({
    mediaType: 'image/png',
    bytes: image.length,
    artifact: 'blob_1',
  });
  expect(artifacts).toMatchObject([{ mediaType: 'image/png', bytes: image.length }]);
  for (const path of ['/file.zip', '/guess-file']) {
    expect((await fetchPath(path)).result.structured).toHaveProperty('artifact');
  }
});

test('a long text is returned in parts, and stored whole', async () => {
  const artifactStore = createTestBlobs();
  const { result } = await fetchPath('/long', { limit: 1_000 }, { artifactStore });
  expect(result.structured).toMatchObject({ totalChars: 50_000, nextOffset: 1_000, artifact: 'blob_1' });
  expect(result.text).toMatch(/Continue with "offset": 1000\. The whole text is artifact blob_1\.\]$/);
  expect(artifactStore.text('blob_1')).toBe('word '.repeat(10_000));
  const last = (await fetchPath('/long', { offset: 49_999 })).result.structured;
  expect(last).toMatchObject({ text: ' ', offset: 49_999 });
  expect(last).not.toHaveProperty('nextOffset');
  artifactStore.break('store');
  const without = await fetchPath('/long', { limit: 1_000 }, { artifactStore });
  expect(without.result.structured).not.toHaveProperty('artifact');
  expect(without.result.structured).toMatchObject({ nextOffset: 1_000 });
});

test.each([
  ['/missing', 'E_HTTP_404', /site\.test:\d+ answered with HTTP 404: No such page/],
  ['/bomb', 'E_FETCH_TOO_LARGE', /larger than 5000000 bytes/],
  ['/brotli-bomb', 'E_FETCH_TOO_LARGE', /5000000/],
  ['/layers', 'E_FETCH_TOO_LARGE', /5000000/],
  ['/bad.pdf', 'E_PDF_INVALID', /not a PDF/],
  ['/broken', 'E_FETCH_FAILED', /site\.test:\d+ could not be reached/],
  ['http://user:pw@site.test/', 'E_ARGUMENTS_INVALID', /user name or password/],
  ['http://[', 'E_ARGUMENTS_INVALID', /not an address/],
  ['ftp://site.test/', 'E_ARGUMENTS_INVALID', /url/],
  ['/etc/passwd'.slice(1), 'E_ARGUMENTS_INVALID', /url/],
  ['file:///etc/passwd', 'E_ARGUMENTS_INVALID', /url/],
  [`http://site.test/${'a'.repeat(9_000)}`, 'E_ARGUMENTS_INVALID', /url/],
])('%.40s ends with %s', async (path, code, message) => {
  const { result } = await fetchPath(path, {}, { policy: { maxToolRetries: 0 } });
  expect(result.error).toMatchObject({ code });
  expect(result.text).toMatch(message);
  expect(result.text).not.toContain('pw@');
});

test.each([
  {},
  { url: 7 },
  { url: null },
  { url: 'http://a.test', offset: -1 },
  { url: 'http://a.test', limit: 1e9 },
  { url: 'http://a.test', other: 1 },
])('wrong arguments %j are refused', async (args) => {
  const { result, approvals } = await runTool(tool, args);
  expect(result.error).toMatchObject({ code: 'E_ARGUMENTS_INVALID' });
  expect(approvals).toEqual([]);
});

test('a server that is busy is asked again, as the policy says', async () => {
  seen.length = 0;
  const { result } = await fetchPath('/busy', {}, { policy: { maxToolRetries: 2, toolRetryDelayMs: 1 } });
  expect(result.error).toMatchObject({ code: 'E_HTTP_503' });
  expect(seen).toEqual(['/busy', '/busy', '/busy']);
});

test('a host that is not allowed needs approval, and an allowed one leads to no other', async () => {
  seen.length = 0;
  const denied = await fetchPath(`http://other.test:${port}/page?data=secret`, {}, { approves: false });
  expect(denied.record.status).toBe('denied');
  expect(denied.approvals[0]?.summary).toBe(
    `Send a request to other.test:${port}: http://other.test:${port}/page?data=secret`,
  );
  expect(seen).toEqual([]);
  const led = await fetchPath('/away');
  expect(led.approvals).toEqual([]);
  expect(led.result.error).toMatchObject({ code: 'E_FETCH_REFUSED' });
  expect(seen).toEqual(['/away']);
  expect((await fetchPath(`http://other.test:${port}/away`)).result.structured).toMatchObject({ title: 'The page' });
  // What looks like the allowed host and is another one.
  for (const url of [
    `http://site.test:${port}@evil.test/`,
    `http://site.test.evil.test:${port}/`,
    `https://site.test/`,
  ]) {
    expect((await fetchPath(url, {}, { approves: false })).record.status, url).toBe('denied');
  }
});

test('a call that is cancelled closes the connection', async () => {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  waiting = resolve;
  const controller = new AbortController();
  const call = fetchPath('/hang', {}, { signal: controller.signal });
  await expect.poll(() => seen.at(-1)).toBe('/hang');
  controller.abort();
  await expect(call).rejects.toMatchObject({ code: 'E_CANCELLED' });
  await closed;
});

test('a server that never ends is left at the time limit', async () => {
  await using slow = openWeb({
    allowPrivateAddresses: true,
    limits: { fetchMs: 50 },
    lookup: async () => ['127.0.0.1'],
    clock: systemClock,
  });
  const { result } = await runTool(
    createWebFetch(slow),
    { url: `http://site.test:${port}/hang` },
    { policy: { maxToolRetries: 0 } },
  );
  expect(result.error).toMatchObject({ code: 'E_FETCH_TIMEOUT' });
});

test('two calls at once have their own results', async () => {
  const reports = await Promise.all(['/page', '/json', '/page', '/latin'].map((path) => fetchPath(path)));
  expect(reports.map(({ result }) => (result.structured as { readonly mediaType: string }).mediaType)).toEqual([
    'text/html',
    'application/json',
    'text/html',
    'text/html',
  ]);
});

test.each(['http://a.test', 'a.test/', '*', '*.', 'a b', 'a.test@b', '127.1', '*.*.test', ''])(
  'the pattern %j of hosts is refused',
  (pattern) => {
    expect(() => openWeb({ allowHosts: [pattern], clock: systemClock })).toThrowError(/is not a host/);
  },
);

test('patterns of hosts', async () => {
  await using web = openWeb({ allowHosts: ['Docs.test', '*.wide.test', 'port.test:8443'], clock: systemClock });
  const isAllowed = (url: string): boolean => web.isAllowed(new URL(url));
  for (const url of [
    'https://docs.test/',
    'http://docs.test/',
    'https://a.wide.test/',
    'https://a.b.wide.test/x',
    'https://port.test:8443/',
  ])
    expect(isAllowed(url), url).toBe(true);
  for (const url of [
    'https://docs.test:8443/',
    'https://a.docs.test/',
    'https://wide.test/',
    'https://xwide.test/',
    'https://port.test/',
    'https://docs.test.evil/',
  ])
    expect(isAllowed(url), url).toBe(false);
});
