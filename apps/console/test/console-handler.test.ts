import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from 'vitest';
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isKernelError } from '@ravi/kernel';
import { createConsoleHandler } from '../src/index.ts';
import type { ConsoleOptions } from '../src/index.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ravi-console-'));
  await mkdir(join(folder, 'assets'));
  await writeFile(join(folder, 'assets', 'index-1.js'), 'start();');
  await writeFile(join(folder, 'index.html'), '<base href="/" /><meta name="ravi-server" content="" />');
});
afterAll(() => rm(folder, { recursive: true }));

function get(path: string, options: ConsoleOptions = {}, init: RequestInit = {}): Response {
  return createConsoleHandler({ folder, ...options }).fetch(new Request(`http://127.0.0.1${path}`, init));
}

test('every path below the base is the page, which knows where it and the API lie', async () => {
  const response = get('/console/runs/one', { basePath: '/console/', serverUrl: 'https://api.example/' });
  assert.equal(
    await response.text(),
    '<base href="/console/" /><meta name="ravi-server" content="https://api.example" />',
  );
  assert.equal(response.headers.get('cache-control'), 'no-cache');
  const policy = response.headers.get('content-security-policy') ?? '';
  assert.match(policy, /script-src 'self';/);
  assert.match(policy, /connect-src 'self' https:\/\/api\.example;/);
});

test('what lies outside of the base, or is a file that is gone, is not there', () => {
  assert.equal(get('/elsewhere', { basePath: '/console' }).status, 404);
  assert.equal(get('/consoles', { basePath: '/console' }).status, 404);
  assert.equal(get('/assets/index-0.js').status, 404);
  assert.equal(get('/assets/%2e%2e/index.html').headers.get('content-type'), 'text/html; charset=utf-8');
});

test('a file is cached permanently and not sent twice', async () => {
  const response = get('/assets/index-1.js');
  assert.equal(await response.text(), 'start();');
  assert.equal(response.headers.get('content-type'), 'text/javascript; charset=utf-8');
  assert.match(response.headers.get('cache-control') ?? '', /immutable/);
  const again = get('/assets/index-1.js', {}, { headers: { 'if-none-match': response.headers.get('etag') ?? '' } });
  assert.equal(again.status, 304);
});

test('it can only be read', () => {
  const response = get('/runs', {}, { method: 'POST' });
  assert.deepEqual([response.status, response.headers.get('allow')], [405, 'GET, HEAD']);
});

test('text of an option cannot leave its attribute', async () => {
  const html = await get('/', { serverUrl: '/api"><script>' }).text();
  assert.ok(!html.includes('<script>'), html);
});

test('a page that was not built, and an invalid base path, are reported', () => {
  const isInvalid = (error: unknown): boolean => isKernelError(error, 'E_CONFIG_INVALID');
  assert.throws(() => createConsoleHandler({ folder: join(folder, 'missing') }), isInvalid);
  assert.throws(() => createConsoleHandler({ folder, basePath: 'console?' }), isInvalid);
});
