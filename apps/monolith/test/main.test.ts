import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { test } from 'vitest';
import { createInstallation } from './support/installation.ts';
import { startProcess } from './support/server-process.ts';

const waitTool = `export default {
  name: 'wait', description: 'Says that it waits, and never ends.', risk: 'safe', inputSchema: {},
  execute: () => new Promise(() => console.log('waiting')),
};`;

test('serves on a free port, prints its address, and exits with 0 at SIGTERM while a call hangs', async () => {
  await using installation = await createInstallation({}, { 'tools/wait.mjs': waitTool });
  using server = startProcess(installation.folder, ['--config', 'ravi.config.json', '--port', '0']);
  const url = await server.url();
  const running = fetch(`${url}/v1/tools/wait`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  assert.equal(await server.nextLine(), 'waiting');
  server.signal('SIGTERM');
  assert.equal((await running).status, 503);
  assert.equal(await server.exit, 0);
});

const shortTool = `export default {
  name: 'short', description: 'Says that it waits, and ends soon.', risk: 'safe', inputSchema: {},
  async execute() {
    console.log('waiting');
    await new Promise((resolve) => setTimeout(resolve, 800));
    return { content: [{ type: 'text', text: 'answer' }], isError: false };
  },
};`;

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test(`a script that is nearly done completes when the whole process group gets ${signal}`, async () => {
    await using installation = await createInstallation({}, { 'tools/short.mjs': shortTool });
    using server = startProcess(installation.folder, ['--port', '0'], { ownGroup: true });
    const running = fetch(`${await server.url()}/v1/chains`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code: 'return (await tools.short({})).length' }),
    });
    assert.equal(await server.nextLine(), 'waiting');
    server.signalAll(signal);
    const result = (await (await running).json()) as { readonly status: string; readonly value: unknown };
    assert.deepEqual([result.status, result.value], ['ok', 6]);
    assert.equal(await server.exit, 0);
  });
}

test('finds the configuration of its folder and exits with 0 at SIGINT', async () => {
  await using installation = await createInstallation({ server: { port: 0 } });
  using server = startProcess(installation.folder, []);
  const url = await server.url();
  assert.equal((await fetch(`${url}/health`)).status, 200);
  server.signal('SIGINT');
  assert.equal(await server.exit, 0);
});

test('a mistake of the user exits with 2 and a line that names it', async () => {
  await using installation = await createInstallation(
    {},
    {
      'broken.json': '{ "tools": [ }',
      'unknown-key.json': '{ "toolz": [] }',
      'unknown-plugin.json': '{ "plugins": { "blobStore": { "use": "@ravi/blob-s4" } } }',
      'open.json': '{ "server": { "host": "0.0.0.0" } }',
    },
  );
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [['--config', 'broken.json'], /broken\.json:1:14: expected a value/],
    [['--config', 'unknown-key.json'], /toolz is not a known key; did you mean "tools"/],
    [['--config', 'unknown-plugin.json'], /@ravi\/blob-s4 was not found, did you mean @ravi\/blob-s3/],
    [
      ['--config', 'open.json'],
      /server\.host "0\.0\.0\.0" accepts connections from other machines and needs server\.tokens/,
    ],
    [['--port', '70000'], /--port must be a whole number from 0 to 65535, got "70000"/],
    [['--prot', '1'], /--prot/],
  ];
  for (const [args, message] of cases) {
    using server = startProcess(installation.folder, args);
    assert.equal(await server.exit, 2, args.join(' '));
    assert.match(await server.errors, message);
  }
});

test('a port in use is reported with a solution', async () => {
  await using installation = await createInstallation();
  const taken = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => taken.once('listening', resolve));
  const { port } = taken.address() as AddressInfo;
  using server = startProcess(installation.folder, ['--port', String(port)]);
  assert.equal(await server.exit, 2);
  assert.match(await server.errors, new RegExp(`127\\.0\\.0\\.1:${port}: the port is in use`));
  taken.close();
});
