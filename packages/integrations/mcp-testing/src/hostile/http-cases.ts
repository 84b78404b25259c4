import type { HostileCase } from './hostile-case.ts';

const isCall = (method: string | undefined): boolean => method === 'tools/call';

/** Returns a case that takes over the HTTP exchange of calls. */
function onHttpCall(
  title: string,
  http: NonNullable<HostileCase['http']>,
  expected: HostileCase['expected'],
  more: Partial<HostileCase> = {},
): HostileCase {
  return {
    title,
    only: 'http',
    expected,
    http: (request, response, message) => isCall(message?.method) && http(request, response, message),
    ...more,
  };
}

/** Servers that misuse HTTP. */
export const httpCases: readonly HostileCase[] = [
  onHttpCall(
    'answers a call with HTML',
    (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
      return true;
    },
    { outcome: 'refused', error: /content type/i },
  ),
  onHttpCall(
    'answers a call without a content type',
    (_request, response) => {
      response.writeHead(200).end('{}');
      return true;
    },
    { outcome: 'refused', error: /content type/i },
  ),
  onHttpCall(
    'answers a call with status 202 and no answer',
    (_request, response) => {
      response.writeHead(202).end();
      return true;
    },
    { outcome: 'refused', error: /without an answer/ },
  ),
  onHttpCall(
    'answers a call with JSON of another id',
    (_request, response) => {
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end('{"jsonrpc":"2.0","id":99999,"result":{"content":[]}}');
      return true;
    },
    { outcome: 'refused', error: /without an answer/ },
  ),
  onHttpCall(
    'answers a call with JSON that is cut',
    (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"jsonrpc":"2.0","id":');
      return true;
    },
    { outcome: 'refused', error: /JSON|lost/ },
  ),
  onHttpCall(
    'answers a call with a million nested lists as JSON',
    (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('['.repeat(1_000_000));
      return true;
    },
    { outcome: 'refused', error: /nests deeper than 128 levels/ },
  ),
  onHttpCall(
    'answers a call with an event stream that ends at once',
    (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end();
      return true;
    },
    { outcome: 'refused', error: /without an answer/ },
  ),
  onHttpCall(
    'answers a call with an event that never ends',
    (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (let index = 0; index < 20; index++) response.write(`data: ${'x'.repeat(1024 * 1024)}\n`);
      return true;
    },
    { outcome: 'refused', error: /more than 16777216 bytes/ },
  ),
  onHttpCall(
    'answers a call with headers of a megabyte',
    (_request, response) => {
      response.socket?.end(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(1024 * 1024)}\r\n\r\n`);
      return true;
    },
    { outcome: 'refused', error: /lost during the call/ },
  ),
  onHttpCall(
    'answers a call with something else than HTTP',
    (_request, response) => {
      response.socket?.end('SSH-2.0-OpenSSH\r\n');
      return true;
    },
    { outcome: 'refused', error: /lost during the call/ },
  ),
  onHttpCall(
    'redirects a call to the metadata service of a cloud',
    (_request, response) => {
      response.writeHead(307, { location: 'http://169.254.169.254/latest/' }).end();
      return true;
    },
    { outcome: 'refused', error: /HTTP 307|redirect/ },
  ),
  onHttpCall(
    'redirects a call to another host',
    (_request, response) => {
      response.writeHead(302, { location: 'https://example.com/' }).end();
      return true;
    },
    { outcome: 'refused', error: /HTTP 302|redirect/ },
  ),
  onHttpCall(
    'redirects a call to itself forever',
    (request, response) => {
      response.writeHead(307, { location: request.url ?? '/' }).end();
      return true;
    },
    { outcome: 'refused', error: /HTTP 307|redirect/ },
  ),
  onHttpCall(
    'answers a call with status 500 and a page of a megabyte',
    (_request, response) => {
      response.writeHead(500, { 'content-type': 'text/html' }).end('e'.repeat(1024 * 1024));
      return true;
    },
    { outcome: 'refused', error: /HTTP 500/ },
  ),
  onHttpCall(
    'answers a call with status 401',
    (_request, response) => {
      response.writeHead(401, { 'www-authenticate': 'Bearer resource_metadata="http://169.254.169.254/"' }).end();
      return true;
    },
    { outcome: 'refused', error: /does not accept the credentials/ },
  ),
  onHttpCall(
    'answers a call with status 429',
    (_request, response) => {
      response.writeHead(429, { 'retry-after': '999999999' }).end();
      return true;
    },
    { outcome: 'refused', error: /HTTP 429/ },
  ),
  onHttpCall(
    'sends one byte a minute',
    (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(':');
      return true;
    },
    { outcome: 'refused', error: /did not answer within/ },
    { callMs: 400 },
  ),
  onHttpCall(
    'never sends the head of the response',
    () => true,
    { outcome: 'refused', error: /did not answer within/ },
    { callMs: 400 },
  ),
  onHttpCall(
    'compresses 100 MiB into a small response',
    (_request, response) => {
      void import('node:zlib').then(({ gzipSync }) => {
        response
          .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
          .end(gzipSync(Buffer.alloc(100 * 1024 * 1024, 0x20)));
      });
      return true;
    },
    { outcome: 'refused', error: /more than 16777216 bytes/ },
  ),
  {
    title: 'has an event stream without an end for its own messages',
    only: 'http',
    expected: { outcome: 'works' },
    http: (request, response) => {
      if (request.method !== 'GET') return false;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(': hello\n\n');
      return true;
    },
  },
  {
    title: 'floods the event stream for its own messages',
    only: 'http',
    expected: { outcome: 'refused', error: /too many messages|not available/ },
    http: (request, response) => {
      if (request.method !== 'GET') return false;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (let index = 0; index < 20_000; index++)
        response.write('data: {"jsonrpc":"2.0","method":"notifications/evil"}\n\n');
      return true;
    },
    on: { 'tools/call': () => undefined },
    callMs: 5_000,
  },
];
