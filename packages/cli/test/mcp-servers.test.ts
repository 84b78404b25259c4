import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'vitest';
import { createFolder } from './support/folder.ts';
import type { Ended } from './support/ravi.ts';
import { runCaptured } from './support/server.ts';

const config = `{
    // never written by hand
    "tools": ["./tools"],   "skills": [],
    "plugins": {
        "toolSource": [
            { "use": "./own.mjs" }
        ],
        "sandbox": { "use": "@ravi/sandbox-isolated-vm" }
    }
}
`.replace('    // never written by hand\n', '');

async function folderWith(text: string | undefined, name = 'ravi.config.json') {
  const own = await createFolder(text === undefined ? {} : { [name]: text });
  const file = join(own.folder, name);
  return {
    ...own,
    file,
    read: () => readFile(file, 'utf8'),
    run: (...args: readonly string[]): Promise<Ended> =>
      runCaptured(args, { cwd: own.folder, env: { RAVI_CONFIG: text === undefined ? '' : name, KNOWN: 'yes' } }),
  };
}

test('a command becomes an entry, and the rest of the file stays as it was written', async () => {
  await using own = await folderWith(config);
  const options = ['--env', 'KNOWN', '--env', 'MODE=read', '--allow', 'read_*', '--deny', 'delete_*'];
  const command = ['npx', '-y', '@scope/server', '--root', '.'];
  const { code, output, errors } = await own.run('mcp', 'add', 'files', ...options, '--', ...command);
  assert.equal(code, 0, errors);
  assert.equal(output, `Added files to ${own.file}\n`);
  assert.match(errors, /The value of MODE is in the configuration file now/);
  assert.match(errors, /restart the server/);
  const text = await own.read();
  const { plugins } = JSON.parse(text);
  assert.deepEqual(plugins.toolSource, [
    { use: './own.mjs' },
    {
      use: '@ravi/mcp',
      name: 'files',
      command: 'npx',
      args: ['-y', '@scope/server', '--root', '.'],
      env: { KNOWN: { $env: 'KNOWN' }, MODE: 'read' },
      allow: ['read_*'],
      deny: ['delete_*'],
    },
  ]);
  for (const kept of [
    '"tools": ["./tools"],   "skills": [],',
    '            { "use": "./own.mjs" }',
    '@ravi/sandbox-isolated-vm" }\n    }\n}\n',
  ]) {
    assert.ok(text.includes(kept), kept);
  }
  assert.ok(text.includes('\n                "command": "npx"'), 'new lines are indented like the others');

  assert.equal((await own.run('mcp', 'trust', 'files')).code, 0);
  assert.equal(JSON.parse(await own.read()).plugins.toolSource[1].trust, true);
  assert.equal((await own.run('mcp', 'trust', 'files', '--off')).code, 0);
  assert.equal('trust' in JSON.parse(await own.read()).plugins.toolSource[1], false);
  const removed = await own.run('mcp', 'remove', 'files', '--json');
  assert.deepEqual(JSON.parse(removed.output), { file: own.file, name: 'files' });
  assert.deepEqual(JSON.parse(await own.read()), JSON.parse(config));
});

test('an address has headers from the environment, and one of this machine is allowed', async () => {
  await using own = await folderWith('{}\n');
  const address = 'https://mcp.example.test/mcp?tenant=1';
  const options = ['--header', 'Authorization=Bearer ${MISSING}', '--transport', 'http', '--sign-in', '--trust'];
  const { code, errors } = await own.run('mcp', 'add', 'docs', address, ...options);
  assert.equal(code, 0, errors);
  assert.match(errors, /MISSING is not set here/);
  assert.equal((await own.run('mcp', 'add', 'near', 'http://127.0.0.1:9000/mcp')).code, 0);
  assert.deepEqual(JSON.parse(await own.read()).plugins.toolSource, [
    {
      use: '@ravi/mcp',
      name: 'docs',
      url: address,
      transport: 'http',
      headers: { Authorization: { $env: 'MISSING', prefix: 'Bearer ' } },
      signIn: {},
      trust: true,
    },
    { use: '@ravi/mcp', name: 'near', url: 'http://127.0.0.1:9000/mcp', allowPrivateAddresses: true },
  ]);
});

test('a configuration is created if there is none, and its permissions are kept when it changes', async () => {
  await using own = await createFolder({ 'empty/readme.txt': '' });
  const cwd = join(own.folder, 'empty');
  const { code, errors } = await runCaptured(['mcp', 'add', 'files', '--', 'server'], { cwd, env: {} });
  assert.equal(code, 0, errors);
  const file = join(cwd, 'ravi.config.json');
  const entry = { use: '@ravi/mcp', name: 'files', command: 'server' };
  assert.equal(await readFile(file, 'utf8'), `${JSON.stringify({ plugins: { toolSource: [entry] } }, undefined, 2)}\n`);
  await writeFile(file, await readFile(file, 'utf8'));
  const { chmod } = await import('node:fs/promises');
  await chmod(file, 0o600);
  assert.equal((await runCaptured(['mcp', 'add', 'more', '--', 'server'], { cwd, env: {} })).code, 0);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
});

test('a configuration in TypeScript stays as it is, and the entry is printed', async () => {
  const text = `export default { plugins: { toolSource: [{ use: '@ravi/mcp', name: 'old', command: 'x' }] } };\n`;
  await using own = await createFolder({ 'own/ravi.config.ts': text });
  const run = (...args: readonly string[]): Promise<Ended> =>
    runCaptured(args, { cwd: join(own.folder, 'own'), env: {} });
  const { code, output, errors } = await run('mcp', 'add', 'files', '--', 'server');
  assert.equal(code, 0, errors);
  assert.deepEqual(JSON.parse(output), { use: '@ravi/mcp', name: 'files', command: 'server' });
  assert.match(errors, /ravi\.config\.ts is a program\. Add this to its plugins\.toolSource/);
  const removed = await run('mcp', 'remove', 'old');
  assert.deepEqual([removed.code, /change its plugins\.toolSource yourself/.test(removed.errors)], [2, true]);
  assert.equal(await readFile(join(own.folder, 'own/ravi.config.ts'), 'utf8'), text);
});

test('an entry is added to a list on one line too', async () => {
  await using own = await folderWith('{ "plugins": { "toolSource": [{ "use": "./own.mjs" }] } }\n');
  assert.equal((await own.run('mcp', 'add', 'files', '--', 'server')).code, 0);
  const { toolSource } = JSON.parse(await own.read()).plugins;
  assert.deepEqual(toolSource, [{ use: './own.mjs' }, { use: '@ravi/mcp', name: 'files', command: 'server' }]);
});

test('mistakes are named, and the file stays as it was', async () => {
  await using own = await folderWith(config);
  assert.equal((await own.run('mcp', 'add', 'files', '--', 'server')).code, 0);
  const before = await own.read();
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [['add', 'files', '--', 'other'], /A tool source is named "files" already/],
    [['add', 'a b', '--', 'server'], /"a b" cannot name a server/],
    [['add', '1st', '--', 'server'], /"1st" cannot name a server: .*start with a letter/],
    [['add', 'more', 'htp://a.test/mcp'], /"htp:\/\/a.test\/mcp" looks like an address.*begin it with https:\/\//],
    [['add', 'more', 'localhost:3000/mcp'], /"localhost:3000\/mcp" looks like an address/],
    [['add', 'more', 'https://a.test/mcp', 'extra'], /looks like an address, which has no arguments: leave out extra/],
    [['add', 'more', 'npx', '-y', '@scope/server'], /unknown option '-y'; options of the server's command follow "--"/],
    [['add', 'more', 'http://', '--trust'], /"http:\/\/" is not an address/],
    [['add', 'more', '--header', 'a=b', '--', 'server'], /are for an address, not for a command/],
    [['add', 'more', 'https://a.test', '--env', 'A'], /--env is for a command/],
    [['add', 'more', '--env', '1A', '--', 'server'], /--env takes NAME or NAME=value/],
    [['add', 'more', 'https://a.test', '--header', 'a\nb=c'], /--header takes Name=value/],
    [['add', 'more'], /missing required argument 'program'/],
    [['trust', 'fils'], /has no MCP server "fils"; did you mean files\?/],
    [['remove', 'zzzzzz'], /the servers are files/],
  ];
  for (const [args, message] of cases) {
    const { code, errors } = await own.run('mcp', ...args);
    assert.equal(code, 2, args.join(' '));
    assert.match(errors, message);
  }
  assert.equal(await own.read(), before);
});
