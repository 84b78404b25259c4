import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { defineTool, KernelError } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';
import { createTestToolSource, testSourceEntry, testSourcesPlugin } from '@ravi/testkit';
import type { TestToolSourceOptions } from '@ravi/testkit';
import { test } from 'vitest';
import { createFolder } from './support/folder.ts';
import { createRavi } from './support/ravi.ts';
import { runCaptured, startServer } from './support/server.ts';

const mail = (description: string): Tool =>
  defineTool({ name: 'mail__send', description, risk: 'high', inputSchema: { type: 'object' }, execute: () => 'sent' });

async function serverWith(options: TestToolSourceOptions = {}) {
  const source = createTestToolSource({ name: 'mail', tools: [mail('Sends a mail.')], ...options });
  const config = { plugins: { toolSource: [testSourceEntry(source)] } };
  const server = await startServer({ 'ravi.config.json': JSON.stringify(config), 'sources.mjs': testSourcesPlugin });
  return { ...server, source };
}

test('ls shows each server with its state, tools and what is wrong with it', async () => {
  await using server = await serverWith();
  assert.equal((await server.ravi(['mcp', 'ls'])).output, 'mail  ready  1 tools    test-server\n');
  server.source.changeStatus({ state: 'failed', message: 'ended with \u001B[31mcode 1', isTrusted: true });
  let shown;
  do shown = await server.ravi(['mcp', 'ls']);
  while (!shown.output.includes('failed'));
  assert.match(shown.output, /^mail {2}failed {2}1 tools {2}trusted {2}test-server\n$/);
  assert.equal(shown.errors, String.raw`mail: ended with \u{1b}[31mcode 1` + '\n');
  const { sources } = JSON.parse((await server.ravi(['mcp', 'ls', '--json'])).output);
  assert.deepEqual(
    sources.map(({ name }: { name: string }) => name),
    ['mail'],
  );
});

test('without servers ls says how to add one', async () => {
  await using own = await createFolder();
  const { output, errors } = await runCaptured(['mcp', 'ls'], { cwd: own.folder, env: {} });
  assert.deepEqual([output, /add one with "ravi mcp add"/.test(errors)], ['', true]);
});

test('accept shows every difference, and accepts it with --yes', async () => {
  await using server = await serverWith();
  server.source.change([mail('Sends a mail.\nAlso to \u202Eeve.')]);
  const accept = (...args: readonly string[]) => server.ravi(['mcp', 'accept', ...args]);
  let asked;
  do asked = await accept('mail__send');
  while (!asked.output.includes('Also to'));
  assert.deepEqual(asked.output.split('\n'), [
    'mail__send of mail (changed)',
    '',
    '/description',
    '  - Sends a mail.',
    '  + Sends a mail.',
    String.raw`  + Also to \u{202e}eve.`,
    '',
  ]);
  assert.deepEqual([asked.code, /pass --yes to accept/.test(asked.errors)], [2, true]);
  assert.match((await server.ravi(['mcp', 'ls'])).errors, /mail__send is held: see "ravi mcp accept mail__send"/);
  assert.match((await accept('mail__sent')).errors, /No definition of "mail__sent" is held; did you mean mail__send\?/);
  assert.equal((await accept('mail__send', '--reject', '--yes')).output, 'Rejected: mail__send\n');
  assert.equal((await accept('mail__send', '--yes')).output, 'Accepted: mail__send\n');
  assert.equal((await server.ravi(['tools', 'describe', 'mail__send'])).code, 0);
});

test('the reason why a server cannot be opened is printed once', async () => {
  await using server = await serverWith({
    beforeOpen: async () => {
      throw new Error('no such program');
    },
  });
  const { output, errors } = await server.ravi(['mcp', 'ls']);
  assert.match(output, /^mail {2}failed/);
  assert.equal(errors, 'mail: no such program\n');
});

test('accept --all decides about what was shown, and names what changed meanwhile', async () => {
  const tools = (description: string): readonly Tool[] =>
    ['mail__send', 'mail__list'].map((name) => ({ ...mail(description), name }));
  await using server = await serverWith({ tools: tools('Old.') });
  server.source.change([...tools('New.'), { ...mail('Added.'), name: 'mail' }]);
  let listed;
  do listed = await server.ravi(['mcp', 'ls']);
  while (!listed.output.includes('3 held'));
  const asked = await server.ravi(['mcp', 'accept', '--all', 'mail']);
  assert.match(asked.output, /mail of mail \(new\)/);
  assert.match(asked.errors, /pass --yes to accept these 3 definitions/);

  // The server changes one of them after they were read, before they are accepted.
  const fetched = globalThis.fetch;
  let hasChanged = false;
  globalThis.fetch = async (input, init) => {
    const isDecision = (init?.method ?? (input as Request).method) === 'POST';
    if (isDecision && !hasChanged) {
      hasChanged = true;
      server.source.change([
        tools('New.')[0] as Tool,
        { ...mail('Newer.'), name: 'mail__list' },
        { ...mail('Added.'), name: 'mail' },
      ]);
      const list = `${server.url}/v1/sources/mail/held`;
      while (!(await (await fetched(list)).text()).includes('Newer.')) await Promise.resolve();
    }
    return fetched(input, init);
  };
  try {
    const accepted = await server.ravi(['mcp', 'accept', '--all', 'mail', '--yes']);
    assert.deepEqual(accepted.output.split('\n').toSorted(), ['', 'Accepted: mail', 'Accepted: mail__send']);
    assert.equal(accepted.code, 1);
    assert.match(
      accepted.errors,
      /^E_STATE_CONFLICT: Changed or decided meanwhile, .* about mail__list: look again with "ravi mcp accept --all mail"$/m,
    );
  } finally {
    globalThis.fetch = fetched;
  }
  assert.match((await server.ravi(['mcp', 'ls'])).output, /2 tools, 1 held/);
  const none = await server.ravi(['mcp', 'accept', '--all', 'post']);
  assert.deepEqual([none.code, /There is no tool source "post"/.test(none.errors)], [2, true]);
});

test('all changed tools of a server are accepted by its name, and a held tool is not called unknown', async () => {
  const tools = (description: string): readonly Tool[] =>
    ['mail__send', 'mail__list'].map((name) => ({ ...mail(description), name }));
  await using server = await serverWith({ tools: tools('Old.') });
  server.source.change(tools('New.'));
  let listed;
  do listed = await server.ravi(['mcp', 'ls']);
  while (!listed.output.includes('2 held'));
  assert.match(listed.errors, /^2 tools of mail are held: see "ravi mcp accept --all mail"$/m);
  const called = await server.ravi(['tools', 'call', 'mail__send', '{}']);
  assert.match(called.errors, /E_TOOL_ABSENT: "mail__send" is held.* see "ravi mcp accept mail__send"/);
  const asked = await server.ravi(['mcp', 'accept', 'mail']);
  assert.match(asked.output, /mail__send of mail[^]*mail__list of mail/);
  assert.match(asked.errors, /pass --yes to accept these 2 definitions/);
  const accepted = await server.ravi(['mcp', 'accept', 'mail', '--yes']);
  assert.deepEqual(accepted.output.split('\n').toSorted(), ['', 'Accepted: mail__list', 'Accepted: mail__send']);
  assert.match((await server.ravi(['mcp', 'ls'])).output, /2 tools/);
  server.source.changeStatus({ state: 'failed', message: 'ended' });
  let gone;
  do gone = await server.ravi(['tools', 'call', 'mail__find', '{}']);
  while (!gone.errors.includes('E_SOURCE_UNAVAILABLE'));
  assert.match(gone.errors, /There is no tool "mail__find" now: mail is failed: ended/);
});

test('login prints the address of the sign-in, and logout forgets the credentials', async () => {
  const signedOut: string[] = [];
  await using server = await serverWith({
    signIn: {
      isSignedIn: async () => false,
      begin: async (principal, callbackUrl) => ({ url: `https://id.example.test/?for=${principal}&to=${callbackUrl}` }),
      complete: async () => {
        throw new KernelError('E_REQUEST_INVALID', 'unknown');
      },
      signOut: async (principal) => void signedOut.push(principal),
    },
  });
  const { code, output } = await server.ravi(['mcp', 'login', 'mail']);
  assert.deepEqual([code, output], [0, `https://id.example.test/?for=local&to=${server.url}/servers/callback\n`]);
  assert.match((await server.ravi(['mcp', 'ls'])).output, /not signed in/);
  assert.equal((await server.ravi(['mcp', 'logout', 'mail'])).code, 0);
  assert.deepEqual(signedOut, ['local']);
  const alone = await runCaptured(['mcp', 'login', 'mail'], { cwd: server.folder, env: {} });
  assert.deepEqual([alone.code, /at a running server/.test(alone.errors)], [2, true]);
  const unknown = await server.ravi(['mcp', 'login', 'post']);
  assert.deepEqual([unknown.code, /There is no tool source "post"/.test(unknown.errors)], [2, true]);
});

const program = (name: string): string =>
  fileURLToPath(import.meta.resolve(`@modelcontextprotocol/${name}/dist/index.js`));

test('two real servers are added with two commands, and a script calls tools of both', async () => {
  await using ravi = await createRavi({ 'notes/today.txt': 'Call Ada.' });
  const add = (...args: readonly string[]) => ravi.run(['mcp', 'add', ...args]);
  const files = await add('files', '--', process.execPath, program('server-filesystem'), './notes');
  const memory = await add(
    'memory',
    '--env',
    'MEMORY_FILE_PATH=./memory.json',
    '--',
    process.execPath,
    program('server-memory'),
  );
  assert.deepEqual([files.code, memory.code], [0, 0], files.errors + memory.errors);
  const { output, errors } = await ravi.run(['mcp', 'ls']);
  assert.match(output, /^files +ready +\d+ tools .*\nmemory +ready +\d+ tools /, errors);
  const code = `
    const text = await tools.files__read_text_file({ path: 'today.txt' });
    await tools.memory__create_entities({ entities: [{ name: 'Ada', entityType: 'person', observations: [String(text.content ?? text)] }] });
    return await tools.memory__search_nodes({ query: 'Ada' });`;
  const denied = await ravi.run(['chain', 'run', '-', '--approve', 'deny'], { input: code });
  assert.equal(denied.code, 3, denied.errors);
  const done = await ravi.run(['chain', 'run', '-', '--approve', 'auto'], { input: code });
  assert.equal(done.code, 0, done.errors);
  assert.match(done.output, /Call Ada\./);
});
