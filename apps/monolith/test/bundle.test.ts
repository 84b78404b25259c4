import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, test } from 'vitest';
import { createInstallation } from './support/installation.ts';
import { buildServer, startBundled, startProcess } from './support/server-process.ts';

const root = join(import.meta.dirname, '../../..');
const bundle = join(root, 'apps/monolith/bundle');

beforeAll(buildServer, 60_000);

/** Uses the bundle, and writes a line for each source file of a package that is loaded all the same. */
const preload = `
import ${JSON.stringify(pathToFileURL(join(bundle, 'use.mjs')).href)};
import { registerHooks } from 'node:module';
registerHooks({
  load(url, context, nextLoad) {
    if (/\\/(packages|apps)\\/[^?]*\\/src\\/[^?]*\\.ts$/.test(url)) process.stderr.write('source ' + url + '\\n');
    return nextLoad(url, context);
  },
});
`;

// What a user writes: by the names of packages, from a folder outside of the repository.
const tools = `
import { isKernelError, KernelError } from '@ravi/kernel';
import { KernelError as SameError } from '@ravi/kernel/base';
import { InvokerSession, sessionOf } from '@ravi/invoker';
import { tokens } from '@ravi/monolith';
const base = { risk: 'safe', inputSchema: { type: 'object' } };
export default [
  {
    ...base, name: 'shared', description: 'Says what it shares with the server.',
    outputSchema: { type: 'object' },
    async execute(_args, context) {
      const structuredContent = {
        hasSession: sessionOf(context) instanceof InvokerSession,
        isSameError: KernelError === SameError && isKernelError(new SameError('E_STATE_CONFLICT', 'x')),
        hasTokens: typeof tokens.invoker === 'symbol' || typeof tokens.invoker === 'object',
      };
      return { content: [], isError: false, structuredContent };
    },
  },
  {
    ...base, name: 'fail', description: 'Fails with a code.',
    execute() { throw new KernelError('E_SESSION_BUSY', 'The tool is busy', { retryable: true }); },
  },
];
`;

const adapter = `
import { createMemoryBlobStore } from '@ravi/blob-memory';
import { definePlugin, KernelError } from '@ravi/kernel';
export default definePlugin({
  name: 'own-blobs', port: 'blobStore', configSchema: { type: 'object', properties: {}, additionalProperties: false },
  async create(_options, { clock }) {
    const store = createMemoryBlobStore({ clock });
    const error = await store.pin('unknown', 'own').catch((thrown) => thrown);
    if (!(error instanceof KernelError)) throw new TypeError('The errors of the store have another class: ' + error);
    return store;
  },
});
`;

test('a bundled server shares its classes with tool files and adapters, and loads no source of a package', async () => {
  await using installation = await createInstallation(
    { tools: ['tools'], plugins: { blobStore: { use: 'own-blobs' } } },
    {
      'preload.mjs': preload,
      'tools/own.mjs': tools,
      'node_modules/own-blobs/package.json': JSON.stringify({
        name: 'own-blobs',
        type: 'module',
        exports: './index.js',
      }),
      'node_modules/own-blobs/index.js': adapter,
    },
  );
  const { folder } = installation;
  mkdirSync(join(folder, 'node_modules/@ravi'));
  const linked = { kernel: 'packages/kernel', invoker: 'packages/invoker', monolith: 'apps/monolith' };
  for (const [name, path] of Object.entries({ ...linked, 'blob-memory': 'packages/blobs/memory' })) {
    symlinkSync(join(root, path), join(folder, 'node_modules/@ravi', name));
  }
  using server = startProcess(folder, ['--config', 'ravi.config.json', '--port', '0'], {
    preloads: [join(folder, 'preload.mjs')],
  });
  const url = await server.url();
  const code = `
    const own = await tools.shared({});
    const failed = await tools.fail({}).catch(({ code, message }) => [code, message]);
    return { own, failed };`;
  const response = await fetch(`${url}/v1/chains`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
  });
  assert.deepEqual(((await response.json()) as { readonly value: unknown }).value, {
    own: { hasSession: true, isSameError: true, hasTokens: true },
    failed: ['E_SESSION_BUSY', 'The tool is busy'],
  });
  const blob = await fetch(`${url}/v1/artifacts/${encodeURIComponent(`sha256:${'0'.repeat(64)}`)}`);
  assert.equal(blob.status, 404, await blob.text());
  server.signal('SIGTERM');
  assert.equal(await server.exit, 0);
  const sources = (await server.errors).split('\n').filter((line) => line.startsWith('source '));
  assert.deepEqual(sources, []);
});

test('scripts are checked by a program that starts from a snapshot, with the same findings', async () => {
  await using installation = await createInstallation();
  using server = startBundled(installation.folder);
  const url = await server.url();
  const response = await fetch(`${url}/v1/chains/check`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code: 'const all: string = 7;\nreturn await tools.nowhere({});' }),
  });
  const text = JSON.stringify(await response.json());
  assert.match(text, /no tool named .*nowhere/);
  assert.doesNotMatch(text, /E_SCRIPT_UNCHECKED/);
  const { pid } = server.child;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim().split(' ');
  const commands = children.map((id) => readFileSync(`/proc/${id}/cmdline`, 'latin1'));
  const checks = commands.filter((command) => command.includes('preflight-helper'));
  assert.equal(checks.length, 1, commands.join('\n'));
  assert.match(checks[0] ?? '', new RegExp(`--snapshot-blob\0[^\0]*preflight-helper-${process.version}-`));
});

test('a bundled server finds the program of a package that it does not bundle', async () => {
  const toolSource = [{ use: '@ravi/tools-search', root: '.', engine: 'ripgrep' }];
  await using installation = await createInstallation({ plugins: { toolSource } }, { 'notes/found.txt': 'needle' });
  using server = startBundled(installation.folder);
  const url = await server.url();
  const response = await fetch(`${url}/v1/tools/grep`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ args: { pattern: 'needle', output: 'files' } }),
  });
  const { structured } = (await response.json()) as { readonly structured: { readonly files: readonly string[] } };
  assert.deepEqual(structured.files, ['notes/found.txt']);
});
