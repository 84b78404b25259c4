import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { RaviConfig } from '@ravi/host';
import { childProcessIds, startLoopbackServer } from '@ravi/testkit';
import { missingBrowser } from '@ravi/test-browser';
import { test } from 'vitest';
import { createInstallation } from './support/installation.ts';
import { startServer } from './support/server.ts';
import type { Answer, TestServer } from './support/server.ts';

// Real servers from npm, through the configuration, the container and the invoker.
const token = 'the-token-of-grace-0123456789-abcdef';
const headers = { authorization: `Bearer ${token}` };
const resolved = createRequire(import.meta.url);

/** Returns the command of a server from npm, by the file that its package starts. */
function serverOf(
  name: string,
  file: string,
  ...args: readonly string[]
): { command: string; args: readonly string[] } {
  const root = dirname(resolved.resolve(`${name}/package.json`));
  return { command: process.execPath, args: [join(root, file), ...args] };
}

const memory = (file: string): object => ({
  use: '@ravi/mcp',
  name: 'memory',
  ...serverOf('@modelcontextprotocol/server-memory', 'dist/index.js'),
  env: { MEMORY_FILE_PATH: file },
  risk: { read_graph: 'safe', search_nodes: 'safe', 'delete_*': 'critical' },
});
const files = (folder: string): object => ({
  use: '@ravi/mcp',
  name: 'files',
  ...serverOf('@modelcontextprotocol/server-filesystem', 'dist/index.js', folder),
  trust: true,
  deny: ['move_file', 'mcp:files/edit_*'],
});
const withApprovals: RaviConfig['plugins'] = {
  stateStore: { use: '@ravi/state-sqlite', file: './data/state.db' },
  approvalHandler: { use: '@ravi/approval-web', tokens: [{ token, principal: 'grace', roles: ['approve'] }] },
};

function configOf(toolSource: readonly object[], approvals = true): RaviConfig {
  return { plugins: { ...(approvals ? withApprovals : {}), toolSource: toolSource as never } };
}

async function toolsOf(server: TestServer, prefix: string): Promise<Readonly<Record<string, string>>> {
  const { body } = await server.get('/v1/tools');
  const items = body.items as readonly { readonly name: string; readonly risk: string }[];
  return Object.fromEntries(items.filter(({ name }) => name.startsWith(prefix)).map(({ name, risk }) => [name, risk]));
}

/** Returns the next pending request. */
async function waiting({ url }: TestServer): Promise<Answer['body']> {
  const stream = await fetch(`${url}/v1/approvals/events?after=0`, { headers });
  let text = '';
  for await (const chunk of stream.body ?? []) {
    text += Buffer.from(chunk).toString();
    const events = [...text.matchAll(/^data: (.*)\n\n/gm)].map(([, data = '']) => JSON.parse(data));
    const asked = events.find(({ approval }) => approval?.status === 'pending');
    if (asked !== undefined) return asked.approval;
  }
  assert.fail(`nothing waits: ${text}`);
}

test('a script reads with one server and writes with another, and a person approves the risky call', async () => {
  await using room = await createInstallation();
  await writeFile(join(room.folder, 'notes.txt'), 'Ada lives in London');
  const graph = join(room.folder, 'graph.jsonl');
  await using server = await startServer(configOf([files(room.folder), memory(graph)]));

  const offered = await toolsOf(server, '');
  assert.equal(offered['files__read_text_file'], 'safe');
  assert.equal(offered['files__write_file'], 'high');
  assert.equal(offered['files__move_file'], undefined);
  assert.equal(offered['files__edit_file'], undefined);
  assert.equal(offered['memory__read_graph'], 'safe');
  assert.equal(offered['memory__create_entities'], 'high');
  assert.equal(offered['memory__delete_entities'], 'critical');

  const script = `
    const note = await tools.files__read_text_file({ path: ${JSON.stringify(join(room.folder, 'notes.txt'))} });
    const before = await tools.memory__read_graph({});
    await tools.memory__create_entities({ entities: [{ name: 'Ada', entityType: 'person', observations: [note.content] }] });
    const after = await tools.memory__search_nodes({ query: 'London' });
    return { before: before.entities.length, after: after.entities.map((each) => each.name) };`;
  const running = server.chain(script);
  const request = await waiting(server);
  assert.deepEqual([request.tool, request.risk], ['memory__create_entities', 'high']);
  assert.equal(await readFile(graph, 'utf8').catch(() => ''), '');
  await server.post(`/v1/approvals/${request.id}/decision`, { decision: 'approved' }, headers);
  let { body } = await running;
  for (let tries = 0; body.status === 'paused' || body.status === 'running'; tries++) {
    assert.ok(tries < 500, JSON.stringify(body));
    body = (await server.get(`/v1/chains/${body.runId}`)).body;
  }
  assert.deepEqual(body.value, { before: 0, after: ['Ada'] }, JSON.stringify(body));
  assert.match(await readFile(graph, 'utf8'), /Ada lives in London/);
}, 60_000);

test('without an approver no risky tool of a server runs, directly or in a script', async () => {
  await using room = await createInstallation();
  const graph = join(room.folder, 'graph.jsonl');
  await using server = await startServer(configOf([memory(graph)], false));
  const args = { entities: [{ name: 'Eve', entityType: 'person', observations: [] }] };
  assert.equal((await server.post('/v1/tools/memory__create_entities', { args })).body.status, 'denied');
  const { body } = await server.chain(
    `return (await tools.memory__create_entities.safe(${JSON.stringify(args)})).status`,
  );
  assert.equal(body.value, 'denied');
  assert.equal(await readFile(graph, 'utf8').catch(() => ''), '');
}, 60_000);

test('server-everything: a result that fits its schema is an object for a script, and one that is an error throws', async () => {
  const before = childProcessIds();
  const everything = {
    use: '@ravi/mcp',
    name: 'everything',
    ...serverOf('@modelcontextprotocol/server-everything', 'dist/index.js'),
    risk: { '*': 'safe' },
    resources: true,
    prompts: true,
  };
  {
    await using server = await startServer(configOf([everything], false));
    const { body } = await server.chain(`
      const weather = await tools['everything__get-structured-content']({ location: 'Chicago' });
      const sum = await tools['everything__get-sum']({ a: 2, b: 40 });
      const failed = await tools['everything__get-sum'].safe(JSON.parse('{"a":"x","b":1}'));
      const { resources } = await tools['everything__resources.list']({});
      const first = await tools['everything__resources.read']({ uri: resources[0].uri });
      return { kind: typeof weather.temperature, sum, failed: failed.status, resources: resources.length > 0, first: first.length > 0 };`);
    assert.deepEqual(
      body.value,
      {
        kind: 'number',
        sum: 'The sum of 2 and 40 is 42.',
        failed: 'error',
        resources: true,
        first: true,
      },
      JSON.stringify(body),
    );
    const prompts = Object.keys(await toolsOf(server, 'everything__prompts.'));
    assert.ok(prompts.length >= 2, prompts.join());
    const image = await server.post('/v1/tools/everything__get-tiny-image', { args: {} });
    assert.equal(image.body.files.length, 1, JSON.stringify(image.body));
    const research = await server.post('/v1/tools/everything__simulate-research-query', {
      args: { topic: 'tea', ambiguous: false },
    });
    assert.match(research.body.text, /tea/i, JSON.stringify(research.body));
  }
  assert.deepEqual(childProcessIds(), before);
}, 60_000);

test.skipIf(missingBrowser !== undefined)(
  '@playwright/mcp: a page is opened in Chromium and read in a script',
  async () => {
    await using site = await startLoopbackServer(() => ({
      headers: { 'content-type': 'text/html' },
      body: '<title>Tea shop</title><h1>Oolong</h1><button>Buy</button>',
    }));
    const playwright = {
      use: '@ravi/mcp',
      name: 'browser',
      ...serverOf(
        '@playwright/mcp',
        'cli.js',
        '--headless',
        '--isolated',
        '--no-sandbox',
        '--executable-path',
        process.env['RAVI_CHROMIUM'] ?? '/usr/bin/chromium',
      ),
      env: { HOME: '/tmp' },
      risk: { browser_navigate: 'safe', browser_snapshot: 'safe', browser_close: 'safe' },
    };
    await using server = await startServer(configOf([playwright], false));
    const { body } = await server.chain(`
    await tools.browser__browser_navigate({ url: ${JSON.stringify(site.url)} });
    const page = await tools.browser__browser_snapshot({});
    await tools.browser__browser_close({});
    return page.includes('Oolong') && page.includes('Tea shop');`);
    assert.equal(body.value, true, JSON.stringify(body).slice(0, 3_000));
    assert.equal(
      (await server.post('/v1/tools/browser__browser_click', { args: { target: 'Buy' } })).body.status,
      'denied',
    );
  },
  90_000,
);
