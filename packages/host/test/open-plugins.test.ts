import assert from 'node:assert/strict';
import { join } from 'node:path';
import { isKernelError } from '@ravi/kernel';
import { createFakeClock, createMemoryLogger } from '@ravi/testkit';
import type { MemoryLogger } from '@ravi/testkit';
import { test } from 'vitest';
import { openPlugins } from '../src/index.ts';
import type { OpenedPlugins, PluginsConfig } from '../src/index.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Source of a plugin that exposes its options and context, and logs its disposal. */
function source(port: string, { create = '', schema = '{ "type": "object" }' } = {}): string {
  return `export default { name: 'p-${port}', port: '${port}', configSchema: ${schema}, create(options, context) {
    ${create}
    return { options, context, [Symbol.asyncDispose]: async () => context.logger.info('disposed ${port}') };
  } };`;
}

interface Scene extends AsyncDisposable {
  readonly folder: string;
  readonly logger: MemoryLogger;
  open(plugins: PluginsConfig, fallback?: string): Promise<OpenedPlugins>;
}

async function scene(files: Readonly<Record<string, string>>): Promise<Scene> {
  const folder = await temporaryFolder({ 'package.json': '{"type": "module"}', ...files });
  const logger = createMemoryLogger();
  return {
    folder: folder.path,
    logger,
    open: (plugins, fallback) =>
      openPlugins(
        { plugins },
        {
          baseDir: folder.path,
          clock: createFakeClock(),
          logger,
          env: { TOKEN: 'a-secret', EMPTY: '' },
          ...(fallback === undefined ? {} : { fallbackBaseDir: join(folder.path, fallback) }),
        },
      ),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

function fails(code: string, ...parts: readonly string[]) {
  return (error: unknown): boolean => {
    assert.ok(isKernelError(error, code), String(error));
    for (const part of parts) assert.ok(error.message.includes(part), `"${error.message}" should contain "${part}"`);
    return true;
  };
}

test('without plugins, lists are empty and single ports absent', async () => {
  await using at = await scene({});
  const opened = await at.open({});
  assert.deepEqual(opened.modelProvider, []);
  assert.deepEqual(opened.toolSource, []);
  assert.equal('blobStore' in opened, false);
});

test('a plugin receives its options without "use", completed with defaults, and the context of the host', async () => {
  const schema = `{ type: 'object', additionalProperties: false, properties: { root: { type: 'string', default: './blobs' } } }`;
  await using at = await scene({ 'blob.ts': `const port: string = 'blobStore';\n${source('blobStore', { schema })}` });
  const plugins = { blobStore: { use: './blob.ts' } };
  await using opened = await at.open(plugins);
  const product = opened.blobStore as unknown as { options: unknown; context: { baseDir: string; logger: unknown } };
  assert.deepEqual(product.options, { root: './blobs' });
  assert.deepEqual(plugins, { blobStore: { use: './blob.ts' } }, 'the configuration itself stays as it was');
  assert.equal(product.context.baseDir, at.folder);
  assert.equal(product.context.logger, at.logger);
});

test('the state store opens first and is in the context of the others', async () => {
  await using at = await scene({ 'state.mjs': source('stateStore'), 'ask.mjs': source('approvalHandler') });
  const entries = { approvalHandler: { use: './ask.mjs' }, stateStore: { use: './state.mjs' } };
  await using opened = await at.open(entries);
  const contextOf = (product: unknown) => (product as { context: { stateStore?: unknown } }).context;
  assert.equal(contextOf(opened.approvalHandler).stateStore, opened.stateStore);
  assert.equal('stateStore' in contextOf(opened.stateStore), false);
  await using without = await at.open({ approvalHandler: { use: './ask.mjs' } });
  assert.equal('stateStore' in contextOf(without.approvalHandler), false);
});

test('lists keep their order, and disposal runs in reverse order of opening', async () => {
  await using at = await scene({
    'state.mjs': source('stateStore'),
    'blob.mjs': source('blobStore'),
    'model.mjs': source('modelProvider'),
  });
  const opened = await at.open({
    modelProvider: [
      { use: './model.mjs', n: 1 },
      { use: './model.mjs', n: 2 },
    ],
    blobStore: { use: './blob.mjs' },
    stateStore: { use: './state.mjs' },
  });
  assert.deepEqual(
    opened.modelProvider.map((model) => (model as unknown as { options: unknown }).options),
    [{ n: 1 }, { n: 2 }],
  );
  await opened[Symbol.asyncDispose]();
  await opened[Symbol.asyncDispose]();
  const order = ['modelProvider', 'modelProvider', 'blobStore', 'stateStore'].map((port) => `disposed ${port}`);
  assert.deepEqual(at.logger.messages('info'), order);
});

test('a failing disposal does not stop the others and is thrown at the end with the name of its plugin', async () => {
  const bad = `return { async [Symbol.asyncDispose]() { throw new Error('stuck'); } };`;
  await using at = await scene({ 'bad.mjs': source('sandbox', { create: bad }), 'good.mjs': source('stateStore') });
  const opened = await at.open({ stateStore: { use: './good.mjs' }, sandbox: { use: './bad.mjs' } });
  await assert.rejects(
    async () => opened[Symbol.asyncDispose](),
    (error: AggregateError) => {
      assert.match(error.message, /plugins\.sandbox \(\.\/bad\.mjs\)/);
      assert.equal((error.errors[0] as Error).cause instanceof Error, true);
      return true;
    },
  );
  assert.deepEqual(at.logger.messages('info'), ['disposed stateStore']);
});

test('if a plugin fails to open, those before it are disposed and its error code is kept', async () => {
  const create = `throw Object.assign(new Error('no space'), { name: 'KernelError', code: 'E_BLOB_UNAVAILABLE' });`;
  await using at = await scene({ 'state.mjs': source('stateStore'), 'blob.mjs': source('blobStore', { create }) });
  await assert.rejects(
    at.open({ stateStore: { use: './state.mjs' }, blobStore: { use: './blob.mjs' } }),
    fails('E_BLOB_UNAVAILABLE', 'plugins.blobStore', './blob.mjs', 'no space'),
  );
  assert.deepEqual(at.logger.messages('info'), ['disposed stateStore']);
});

test('a plugin that throws something else, or creates nothing, is invalid', async () => {
  await using at = await scene({
    'throws.mjs': source('blobStore', { create: `throw 'text';` }),
    'empty.mjs': source('blobStore', { create: 'return;' }),
  });
  await assert.rejects(
    at.open({ blobStore: { use: './throws.mjs' } }),
    fails('E_PLUGIN_INVALID', 'did not start: text'),
  );
  await assert.rejects(
    at.open({ blobStore: { use: './empty.mjs' } }),
    fails('E_PLUGIN_INVALID', 'returned nothing from create'),
  );
});

test('a package is found from the folder of the configuration first, then from the fallback', async () => {
  const manifest = (name: string) => JSON.stringify({ name, type: 'module', exports: './index.js' });
  const marked = (mark: string) => source('blobStore', { create: `options.from = '${mark}';` });
  await using at = await scene({
    'node_modules/blob-both/package.json': manifest('blob-both'),
    'node_modules/blob-both/index.js': marked('folder'),
    'app/node_modules/blob-both/package.json': manifest('blob-both'),
    'app/node_modules/blob-both/index.js': marked('app'),
    'app/node_modules/@scope/blob-app/package.json': manifest('@scope/blob-app'),
    'app/node_modules/@scope/blob-app/index.js': marked('app'),
  });
  const from = async (use: string): Promise<unknown> => {
    await using opened = await at.open({ blobStore: { use } }, 'app');
    return (opened.blobStore as unknown as { options: { from: string } }).options.from;
  };
  assert.equal(await from('blob-both'), 'folder');
  assert.equal(await from('@scope/blob-app'), 'app');
  await assert.rejects(
    at.open({ blobStore: { use: '@scope/blob-app' } }),
    fails('E_PLUGIN_NOT_FOUND', '@scope/blob-app', `npm install @scope/blob-app`, at.folder),
  );
});

test('the last part of the name of a package of Ravi suggests that package, also if it is the name of a library', async () => {
  const packages = [
    '@ravi/engine-job-lane',
    '@ravi/engine-lane-job',
    '@ravi/blob-lib',
    '@ravi/engine-lib',
    '@other/lane',
  ];
  const files = Object.fromEntries(packages.map((name) => [`app/node_modules/${name}/package.json`, '{}']));
  await using at = await scene({ ...files, 'app/node_modules/lib/index.js': 'exports.isLibrary = true;' });
  for (const [use, code, advice] of [
    ['job-lane', 'E_PLUGIN_NOT_FOUND', 'was not found, did you mean @ravi/engine-job-lane?'],
    ['engine-job-lane', 'E_PLUGIN_NOT_FOUND', 'was not found, did you mean @ravi/engine-job-lane?'],
    ['lib', 'E_PLUGIN_INVALID', 'has no name; did you mean @ravi/blob-lib or @ravi/engine-lib?'],
    ['ane', 'E_PLUGIN_NOT_FOUND', 'npm install ane'],
  ] as const) {
    await assert.rejects(at.open({ runEngine: { use } }, 'app'), fails(code, advice));
  }
});

test('a real adapter of the workspace opens by its package name and works', async () => {
  await using at = await scene({});
  const fallbackBaseDir = import.meta.dirname;
  const context = { baseDir: at.folder, clock: createFakeClock(), logger: at.logger };
  const plugins = { blobStore: { use: '@ravi/blob-memory', maxBytes: 1_000 } };
  await using opened = await openPlugins({ plugins }, { ...context, fallbackBaseDir });
  const scope = { principal: 'ada', sessionId: 'session-1' };
  const ref = await opened.blobStore?.store('hello', { mediaType: 'text/plain', scope });
  assert.equal(Buffer.from((await opened.blobStore?.resolve(ref ?? '')) ?? []).toString(), 'hello');
});

test('a package with an entry for "import" only is found', async () => {
  await using at = await scene({
    'node_modules/import-only/package.json': '{"type": "module", "exports": {".": {"import": "./i.js"}}}',
    'node_modules/import-only/i.js': source('sandbox'),
  });
  await using opened = await at.open({ sandbox: { use: 'import-only' } });
  assert.ok(opened.sandbox);
});

test('a path is never resolved from the fallback folder, and a missing file is named', async () => {
  await using at = await scene({ 'app/blob.mjs': source('blobStore') });
  await assert.rejects(
    at.open({ blobStore: { use: './blob.mjs' } }, 'app'),
    fails('E_PLUGIN_NOT_FOUND', join(at.folder, 'blob.mjs')),
  );
});

test('a URL, an absolute path or a package path that climbs is refused before anything is loaded', async () => {
  await using at = await scene({});
  for (const use of [
    'https://example.org/x.js',
    'file:///etc/x.js',
    'data:text/javascript,1',
    '/etc/x.js',
    'a/../../x',
    '..',
    '',
  ]) {
    await assert.rejects(
      at.open({ blobStore: { use } }),
      fails('E_CONFIG_INVALID', 'plugins.blobStore.use', `"${use}"`),
    );
  }
});

test('a plugin for another port is refused with both ports', async () => {
  await using at = await scene({ 'model.mjs': source('modelProvider') });
  await assert.rejects(
    at.open({ sandbox: { use: './model.mjs' } }),
    fails('E_PLUGIN_INVALID', 'plugins.sandbox', 'modelProvider', 'not sandbox'),
  );
});

test('a module that is not a plugin is refused with its missing property', async () => {
  await using at = await scene({
    'none.mjs': 'export const plugin = 1;',
    'unnamed.mjs': `export default { port: 'sandbox' };`,
    'portless.mjs': `export default { name: 'x', port: 'toString' };`,
    'schemaless.mjs': `export default { name: 'x', port: 'sandbox' };`,
    'lifeless.mjs': `export default { name: 'x', port: 'sandbox', configSchema: {} };`,
    'throws.mjs': `throw new Error('at import');`,
    'badschema.mjs': source('sandbox', { schema: `{ type: 'objekt' }` }),
  });
  const refused = (file: string, words: string) =>
    assert.rejects(at.open({ sandbox: { use: `./${file}.mjs` } }), fails('E_PLUGIN_INVALID', 'plugins.sandbox', words));
  await refused('none', 'default export');
  await refused('unnamed', 'no name');
  await refused('portless', 'has a port that is not one of');
  await refused('schemaless', 'configSchema');
  await refused('lifeless', 'create');
  await refused('throws', 'at import');
  await refused('badschema', 'configSchema that is not valid');
});

test('invalid options are reported with their key, without repeating a value', async () => {
  const schema = `{ type: 'object', additionalProperties: false, required: ['root'], properties: {
    root: { type: 'string' }, level: { enum: ['low', 'high'] }, key: { type: 'string', pattern: '^k-' },
    size: { anyOf: [{ type: 'string' }, { type: 'integer' }] }, mode: { const: 'fast' }, many: { type: 'array', minItems: 2 } } }`;
  await using at = await scene({ 'tool.mjs': source('toolSource', { schema }) });
  const options = {
    use: './tool.mjs',
    rooot: 'x',
    level: 'middle',
    key: 's3cret',
    size: true,
    mode: 'slow',
    many: [1],
  };
  await assert.rejects(at.open({ toolSource: [options] }), (error: unknown) => {
    const place = 'plugins.toolSource[0]';
    fails(
      'E_CONFIG_INVALID',
      `${place} needs "root"`,
      `${place}.rooot is not a known key; did you mean "root"?`,
      `${place}.level must be one of "low", "high"`,
      `${place}.key must match pattern`,
      `${place}.size matches none of its allowed forms`,
      `${place}.mode must be "fast"`,
      `${place}.many must have at least 2`,
    )(error);
    assert.doesNotMatch((error as Error).message, /s3cret|must be text or/);
    return true;
  });
});

test('a draft-07 schema is supported', async () => {
  const schema = `{ $schema: 'http://json-schema.org/draft-07/schema#', type: 'object', properties: { n: { type: 'number', default: 4 } } }`;
  await using at = await scene({ 'sandbox.mjs': source('sandbox', { schema }) });
  await using opened = await at.open({ sandbox: { use: './sandbox.mjs' } });
  assert.deepEqual((opened.sandbox as unknown as { options: unknown }).options, { n: 4 });
});

test('options take values from the environment at any place, before their schema is checked', async () => {
  const schema = `{ type: 'object', additionalProperties: false, required: ['key'], properties: {
    key: { type: 'string', minLength: 8 }, servers: { type: 'array' }, headers: { type: 'object' } } }`;
  await using at = await scene({ 'tool.mjs': source('toolSource', { schema }) });
  const plugins = {
    toolSource: [
      {
        use: './tool.mjs',
        key: { $env: 'TOKEN' },
        servers: [{ env: { KEY: { $env: 'TOKEN' } } }],
        headers: { authorization: { $env: 'TOKEN', prefix: 'Bearer ' } },
      },
    ],
  };
  await using opened = await at.open(plugins);
  assert.deepEqual((opened.toolSource[0] as unknown as { readonly options: unknown }).options, {
    key: 'a-secret',
    servers: [{ env: { KEY: 'a-secret' } }],
    headers: { authorization: 'Bearer a-secret' },
  });
  assert.deepEqual(plugins.toolSource[0]?.key, { $env: 'TOKEN' }, 'the configuration itself stays as it was');
});

test('a variable that is missing or empty, and a place that is not one, are named with their place', async () => {
  await using at = await scene({ 'model.mjs': source('modelProvider') });
  const options = { use: './model.mjs', env: { A: { $env: 'MISSING' }, B: { $env: 'EMPTY' } }, c: [{ $env: 5 }] };
  await assert.rejects(
    at.open({ modelProvider: [options] }),
    fails(
      'E_CONFIG_INVALID',
      'set the environment variable MISSING, named at plugins.modelProvider[0].env.A',
      'set the environment variable EMPTY, named at plugins.modelProvider[0].env.B',
      'plugins.modelProvider[0].c[0] must be { "$env": "NAME" }',
    ),
  );
});

test('a tool source whose variables are missing opens nothing but says which to set; a wrong place still ends the start', async () => {
  await using at = await scene({ 'tool.mjs': source('toolSource', { create: "throw new Error('was created');" }) });
  const env = { A: { $env: 'MISSING' }, B: { $env: 'EMPTY' } };
  await using opened = await at.open({
    toolSource: [
      { use: './tool.mjs', name: 'files', env },
      { use: './tool.mjs', env },
    ],
  });
  const [files, unnamed] = opened.toolSource;
  assert.deepEqual([files?.name, unnamed?.name], ['files', 'plugins.toolSource[1]']);
  await assert.rejects(
    async () => files?.open({ signal: new AbortController().signal, onChange() {} }),
    fails(
      'E_SOURCE_UNAVAILABLE',
      'set the environment variable MISSING, named at plugins.toolSource[0].env.A; set the environment variable EMPTY',
    ),
  );
  await assert.rejects(at.open({ toolSource: [{ use: './tool.mjs', env: { $env: 5 } }] }), fails('E_CONFIG_INVALID'));
  await assert.rejects(at.open({ toolSource: [{ use: './gone.mjs', env }] }), fails('E_PLUGIN_NOT_FOUND'));
});
