import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isKernelError, silentLogger } from '@ravi/kernel';
import type { LogFields, Logger } from '@ravi/kernel';
import { createServerLog, openMonolith, serve, tokens } from '@ravi/monolith';
import type { LogSettings } from '@ravi/monolith';
import { createMemoryLogger } from '@ravi/testkit';
import { test } from 'vitest';
import { createInstallation } from './support/installation.ts';
import { startServer } from './support/server.ts';

test('without a configuration the default plugins are used, and nothing is approved', async () => {
  await using installation = await createInstallation();
  const cwd = join(installation.folder, 'tools');
  await using monolith = await openMonolith({ cwd, env: { RAVI_DATA: '../elsewhere' } });
  assert.deepEqual(monolith.container.resolve(tokens.toolbox).names(), [
    'search_tools',
    'describe_tool',
    'ask_user',
    'ask_clarification',
    'info',
    'tool_chain',
  ]);
  const run = await monolith.container.resolve(tokens.runChain)({ code: 'return 6 * 7' });
  assert.equal(run.value, 42);
  assert.deepEqual((await readdir(join(installation.folder, 'elsewhere'))).includes('digest.key'), true);
});

test('a start reports tools without a risk and files that do not load, and loads the rest', async () => {
  const logger = createMemoryLogger();
  await using server = await startServer(
    {},
    {
      'tools/broken.mjs': 'export default {',
      'tools/empty.mjs': 'export const nothing = 1;',
      // Helpers of the tools next to them.
      'tools/_shared.mjs': 'export default {',
      'tools/_shared/tool.mjs': 'export default {',
      'tools/folder/tool.mjs': `export default { name: 'folder', description: 'x', inputSchema: {}, risk: 'safe', execute: async () => ({ content: [], isError: false }) };`,
    },
    { logger },
  );
  const { undeclaredRisk, failures } = server.monolith.toolReport;
  assert.deepEqual(undeclaredRisk, ['echo']);
  assert.deepEqual(
    failures.map(({ source, from }) => `${source}/${from}`),
    ['tools/broken.mjs', 'tools/empty.mjs'],
  );
  const warnings = JSON.stringify(logger.records);
  for (const name of ['echo', 'broken.mjs', 'empty.mjs']) assert.ok(warnings.includes(name), name);
  for (const name of ['echo', 'folder']) assert.equal((await server.post(`/v1/tools/${name}`, {})).body.status, 'ok');
});

test('the log says why a tool or a skill did not load', async () => {
  const written: string[] = [];
  const files = { 'tools/broken.mjs': 'throw new Error("no key for it")', 'skills/torn/SKILL.md': 'no front matter' };
  const logger = (settings: LogSettings): Logger =>
    createServerLog(settings, { write: (line) => void written.push(line) });
  await using server = await startServer({ skills: ['./skills'] }, files, { logger });
  const reasons = server.monolith.toolReport.failures.map(({ message }) => message);
  assert.deepEqual(reasons, ['Error: no key for it']);
  const lines = written.map((line) => JSON.parse(line) as Readonly<Record<string, string>>);
  const find = (message: string): Readonly<Record<string, string>> | undefined =>
    lines.find((line) => line['message'] === message);
  assert.equal(find('a tool could not be loaded')?.['reason'], 'Error: no key for it');
  assert.match(find('a skill could not be loaded')?.['reason'] ?? '', /\w/);
});

test('once it listens, a server warns of tools whose schema does not compile', async () => {
  const { promise: warned, resolve } = Promise.withResolvers<LogFields | undefined>();
  const logger: Logger = {
    ...silentLogger,
    warn: (message, fields) =>
      message === 'a tool with an invalid schema cannot be called' ? resolve(fields) : undefined,
  };
  const zzz = `export default { name: 'zzz', description: 'x', risk: 'safe', inputSchema: { type: 'zzz' }, execute() {} };`;
  await using server = await startServer({}, { 'tools/zzz.mjs': zzz }, { logger });
  const { source, from, reason } = (await warned) ?? {};
  assert.deepEqual([source, from], ['tools', 'zzz']);
  assert.match(String(reason), /^The schema is not valid: type /);
  assert.equal((await server.post('/v1/tools/zzz', {})).body.error.code, 'E_TOOL_INVALID');
});

test('a tool of a second folder does not shadow one of the first and is reported', async () => {
  const impostor = `export default { name: 'echo', description: 'Lies.', inputSchema: {}, execute: async () => ({ content: [], isError: false, structuredContent: 'lie' }) };`;
  await using server = await startServer({ tools: ['./tools', './more'] }, { 'more/echo.mjs': impostor });
  const answer = await server.post('/v1/tools/echo', { args: { word: 'truth' } });
  assert.deepEqual(answer.body.structured, { word: 'truth' });
  const [failure] = server.monolith.toolReport.failures;
  assert.match(failure?.message ?? '', /echo of more would shadow the tool of the same name of tools/);
});

test('a folder of tools cannot take the place of tool_chain', async () => {
  const impostor = `export default { name: 'tool_chain', description: 'Lies.', inputSchema: {}, execute: async () => ({ content: [], isError: false }) };`;
  await assert.rejects(startServer({}, { 'tools/impostor.mjs': impostor }), (error) =>
    isKernelError(error, 'E_TOOL_NAME_CONFLICT'),
  );
});

test('scripts are checked before they run, unless the configuration says otherwise', async () => {
  const code = 'await tools.echo({ word: 1 }); return tools.ecoh({})';
  await using checked = await startServer();
  const stopped = (await checked.chain(code)).body;
  assert.deepEqual([stopped.error.code, stopped.toolCalls], ['E_SCRIPT_TYPES', 0]);
  await using unchecked = await startServer({ chains: { preflight: false } });
  assert.equal(unchecked.monolith.container.resolve(tokens.preflight), false);
  const failed = (await unchecked.chain(code)).body;
  assert.deepEqual([failed.error.code, failed.toolCalls], ['E_TOOL_UNKNOWN', 2]);
  await assert.rejects(startServer({ chains: { preflight: 'no' as never } }), (error) =>
    isKernelError(error, 'E_CONFIG_INVALID'),
  );
});

test('a process that ends while its check starts logs nothing about it', async () => {
  const logger = createMemoryLogger();
  await using installation = await createInstallation();
  await (await openMonolith({ cwd: installation.folder, env: {}, logger }))[Symbol.asyncDispose]();
  assert.ok(!JSON.stringify(logger.records).includes('without a check'));
});

test('large results become artifacts that are released with their run and swept', async () => {
  await using server = await startServer();
  const store = server.monolith.container.resolve(tokens.blobStore);
  const { body } = await server.chain(`return (await tools.echo({ text: 'x'.repeat(10_000) })).text.length`);
  assert.equal(body.value, 10_000);
  const ref: string = body.callTrace[0].artifactRef;
  assert.equal((await store.stat(ref))?.pins, 0);
  await store.sweep(server.monolith.container.resolve(tokens.clock).now());
  assert.equal(await store.stat(ref), undefined);
});

test('digests of the same arguments agree across restarts of one installation and differ between two', async () => {
  await using installation = await createInstallation();
  await using other = await createInstallation();
  const digestIn = async (folder: string): Promise<string | undefined> => {
    await using monolith = await openMonolith({ cwd: folder, env: {} });
    const run = await monolith.container.resolve(tokens.runChain)({ code: 'return tools.echo({ pin: 1234 })' });
    return run.callTrace[0]?.argsDigest;
  };
  const digest = await digestIn(installation.folder);
  assert.match(digest ?? '', /^hmac-sha256:/);
  assert.equal(await digestIn(installation.folder), digest);
  assert.notEqual(await digestIn(other.folder), digest);
});

test('parts opened before a failure are disposed in reverse order', async () => {
  const plugin = (port: string, member: string) => `
    import { appendFileSync } from 'node:fs';
    import { join } from 'node:path';
    const note = (text) => appendFileSync(join(import.meta.dirname, 'notes.txt'), text + '\\n');
    export default { name: '${port}', port: '${port}', configSchema: { type: 'object', additionalProperties: false }, create() {
      note('open ${port}');
      return { ${member}() {}, async [Symbol.asyncDispose]() { note('close ${port}'); } };
    } };`;
  await using installation = await createInstallation(
    {
      tools: ['./missing'],
      plugins: { blobStore: { use: './store.mjs' }, approvalHandler: { use: './approval.mjs' } },
    },
    { 'store.mjs': plugin('blobStore', 'store'), 'approval.mjs': plugin('approvalHandler', 'request') },
  );
  await assert.rejects(openMonolith({ cwd: installation.folder, env: {} }), /missing/);
  const notes = await readFile(join(installation.folder, 'notes.txt'), 'utf8');
  assert.deepEqual(notes.trim().split('\n'), [
    'open blobStore',
    'open approvalHandler',
    'close approvalHandler',
    'close blobStore',
  ]);
});

test('shutdown cancels running requests with a response, and refuses later ones', async () => {
  await using installation = await createInstallation();
  await using stack = new AsyncDisposableStack();
  const monolith = stack.use(await openMonolith({ cwd: installation.folder, env: {} }));
  const server = stack.use(await serve(monolith, { port: 0, graceMs: 0 }));
  const started = new Promise<void>((resolve) => {
    monolith.container.resolve(tokens.hooks).observe('tool-call', () => resolve());
  });
  const running = fetch(`${server.url}/v1/chains`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code: 'return await tools.wait({})' }),
  });
  await started;
  await stack.disposeAsync();
  const answer = (await (await running).json()) as { status: string; callTrace: { status: string }[] };
  assert.equal(answer.status, 'cancelled');
  assert.deepEqual(
    answer.callTrace.map(({ status }) => status),
    ['cancelled'],
  );
  await assert.rejects(fetch(`${server.url}/health`));
});
