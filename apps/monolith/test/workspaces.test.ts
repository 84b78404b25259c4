import assert from 'node:assert/strict';
import { mkdir, mkdtempDisposable, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RaviConfig } from '@ravi/host';
import { isKernelError } from '@ravi/kernel';
import { test } from 'vitest';
import { send, until } from './support/run-requests.ts';
import type { Body } from './support/run-requests.ts';
import { startServer } from './support/server.ts';
import type { TestServer } from './support/server.ts';
import { callingModel, delegate, task } from './support/sub-agents.ts';
import type { Call } from './support/sub-agents.ts';

/** Says who works in which folder; with `wait`, once there is a file `go` in it. */
const workTool = (name: string): string => `
import { access } from 'node:fs/promises';
import { basename, join } from 'node:path';
export default {
  name: '${name}', description: 'Says who works where.', risk: 'safe',
  inputSchema: { type: 'object', properties: { wait: { type: 'boolean' } } },
  async execute({ wait }, { agent, cwd }) {
    const isThere = () => access(join(cwd, 'go')).then(() => true, () => false);
    while (wait && !(await isThere())) await new Promise((resolve) => setTimeout(resolve, 10));
    return { content: [{ type: 'text', text: (agent ?? 'a caller') + ' in ' + basename(cwd ?? 'none') }], isError: false };
  },
};`;

const skill = (name: string): string => `---\nname: ${name}\ndescription: About ${name}.\n---\n\nText.\n`;

const config = {
  workspaces: { shop: { path: './shop' }, bakery: { path: './places/bakery', tools: ['own'] } },
  agents: {
    keeper: { description: 'Keeps the shop.', workspace: 'shop' },
    helper: { workspace: 'shop', tools: { allow: ['echo'] } },
    baker: { workspace: 'bakery', tools: { allow: ['workspace:shop/st*'] }, delegates: ['helper', 'guest'] },
    guest: { description: 'Has no workspace.', tools: { allow: ['here'] }, skills: { offer: ['pricing'] } },
  },
  plugins: { modelProvider: [{ use: './model.mjs' }] },
} as const satisfies RaviConfig;

const files = {
  'model.mjs': callingModel,
  'tools/here.mjs': workTool('here'),
  'shop/tools/stock.mjs': workTool('stock'),
  'shop/skills/pricing/SKILL.md': skill('pricing'),
  'places/bakery/own/oven.mjs': workTool('oven'),
  'places/bakery/skills/baking/SKILL.md': skill('baking'),
};

const start = (changes: RaviConfig = {}, more: Readonly<Record<string, string>> = {}): Promise<TestServer> =>
  startServer({ ...config, ...changes }, { ...files, ...more }, { isServer: true });

async function agentNamed(url: string, name: string): Promise<Body> {
  return (await send(url, '/v1/agents')).items.find((agent: Body) => agent.name === name);
}

/** Returns the text of a run of an agent that makes calls. */
async function textOf(url: string, agent: string, ...calls: readonly Call[]): Promise<string> {
  const { id } = await send(url, '/v1/runs', { kind: 'agent', agent, task: task(...calls.map((call) => [call])) });
  return (await until(url, id, 'run-end')).text;
}

async function rewrite({ installation }: TestServer, name: string, text: string): Promise<void> {
  await writeFile(join(installation.folder, name), text);
}

const configure = (server: TestServer, changes: RaviConfig): Promise<void> =>
  rewrite(server, 'ravi.config.json', JSON.stringify({ tools: ['./tools'], ...config, ...changes }));

test('an agent works in the folder of its workspace, with the tools and skills there that others do not have', async () => {
  await using server = await start();
  const { url } = server;
  const tools = async (agent: string): Promise<readonly string[]> =>
    (await agentNamed(url, agent)).tools.filter((tool: string) => ['stock', 'oven', 'echo'].includes(tool));
  assert.deepEqual(await tools('ravi'), ['echo']);
  assert.deepEqual(await tools('keeper'), ['echo', 'stock']);
  assert.deepEqual(await tools('helper'), ['echo', 'stock']);
  assert.deepEqual(await tools('baker'), ['stock', 'oven']);
  const skills = async (agent: string): Promise<readonly string[]> => (await agentNamed(url, agent)).skills;
  assert.deepEqual(await skills('ravi'), []);
  assert.deepEqual(await skills('keeper'), ['pricing']);
  assert.deepEqual(await skills('baker'), ['baking']);
  assert.deepEqual(await skills('guest'), ['pricing']);

  assert.equal(await textOf(url, 'keeper', ['stock', {}]), 'keeper in shop');
  assert.match(await textOf(url, 'ravi', ['stock', {}]), /stock is not allowed in this session/);
  // The tool comes from another workspace, and works in the folder of its caller.
  assert.equal(await textOf(url, 'baker', ['stock', {}], ['oven', {}]), 'baker in bakery | baker in bakery');
  const code = 'return [await tools.stock({})]';
  assert.match(await textOf(url, 'keeper', ['tool_chain', { code }]), /keeper in shop/);
  // A delegate has its own folder, or else that of its caller.
  assert.equal(await textOf(url, 'baker', delegate('helper', [['stock', {}]])), 'helper in shop');
  assert.equal(await textOf(url, 'baker', delegate('guest', [['here', {}]])), 'guest in bakery');
  // What an agent of another workspace may not call is not described to it.
  const chain = (await send(url, '/v1/tools/tool_chain')).description;
  assert.match(chain, /here/);
  assert.doesNotMatch(chain, /stock|oven/);
});

test('mistakes about workspaces are reported at their place', async () => {
  const refused = async (changes: RaviConfig, message: RegExp): Promise<void> => {
    await assert.rejects(start(changes), (error) => {
      assert.ok(isKernelError(error, 'E_CONFIG_INVALID'));
      assert.match(error.message, message);
      return true;
    });
  };
  await refused(
    { agents: { keeper: { workspace: 'shpo' } } },
    /agents\.keeper\.workspace: there is no workspace "shpo"; did you mean "shop"\?/,
  );
  await refused(
    { agents: {}, workspaces: { shop: { path: './gone' } } },
    /workspaces\.shop\.path: there is no folder "gone"/,
  );
  await refused({ agents: {}, workspaces: { shop: { path: './shop', tools: ['gone'] } } }, /gone/);
  await refused(
    { agents: {}, workspaces: { tools: { path: './shop' } } },
    /The name "tools" of a tool source is taken/,
  );
  await refused({ agents: {}, workspaces: { 'a/b': { path: './shop' } } }, /workspaces/);

  // Of two tools with one name the first counts, and the other is a failure of its workspace.
  await using server = await start({}, { 'places/bakery/own/stock.mjs': workTool('stock') });
  const { items } = await send(server.url, '/v1/sources');
  const { failures } = items.find(({ name }: Body) => name === 'bakery');
  assert.match(failures[0].message, /Tool stock of bakery would shadow the tool of the same name of shop; rename one/);
  assert.equal(await textOf(server.url, 'keeper', ['stock', {}]), 'keeper in shop');
});

test('a reload reads workspaces again: their files, a new folder, and one that is gone', async () => {
  await using server = await start();
  const { url } = server;
  await rewrite(server, 'shop/tools/till.mjs', workTool('till'));
  const { sources } = await send(url, '/v1/reload', {});
  assert.deepEqual([sources[0].source, sources[0].added], ['shop', ['till']]);

  const { shop } = config.workspaces;
  await using elsewhere = await mkdtempDisposable(join(tmpdir(), 'ravi-elsewhere-'));
  const away = { path: elsewhere.path };
  await mkdir(join(away.path, 'tools'));
  const failing = `async execute(_args, { cwd }) { throw new Error('in ' + cwd); }`;
  const failTool = `export default { name: 'fail', description: 'Fails.', risk: 'safe', inputSchema: { type: 'object' }, ${failing} };`;
  await writeFile(join(away.path, 'tools/fail.mjs'), failTool);
  await configure(server, { agents: { keeper: { workspace: 'away' } }, workspaces: { ...config.workspaces, away } });
  assert.deepEqual((await send(url, '/v1/reload', {})).config.failures, []);
  assert.match(await textOf(url, 'keeper', ['fail', {}]), /in <host>/);

  await configure(server, {
    agents: { keeper: { workspace: 'shop' } },
    workspaces: { shop: { path: './places/bakery', tools: ['own'] } },
  });
  const moved = await send(url, '/v1/reload', {});
  assert.deepEqual(moved.config.failures, []);
  assert.deepEqual(moved.config.changed.filter((key: string) => key.startsWith('workspaces')).toSorted(), [
    'workspaces.away',
    'workspaces.bakery',
    'workspaces.shop',
  ]);
  assert.equal(await textOf(url, 'keeper', ['oven', {}]), 'keeper in bakery');
  assert.deepEqual((await agentNamed(url, 'keeper')).skills, ['baking']);
  assert.match(await textOf(url, 'keeper', ['stock', {}]), /stock/);

  await configure(server, { workspaces: { shop, bakery: { path: './gone' } } });
  const broken = await send(url, '/v1/reload', {});
  assert.match(broken.config.failures[0].message, /workspaces\.bakery\.path: there is no folder "gone"/);
  assert.equal(await textOf(url, 'keeper', ['oven', {}]), 'keeper in bakery');
  await rm(join(server.installation.folder, 'places'), { recursive: true });
});

test('a workspace is loaded and unloaded on demand, and a call that runs keeps its tool', async () => {
  const { shop, bakery } = config.workspaces;
  const agents = { keeper: { workspace: 'shop' }, baker: { workspace: 'bakery', skills: { impose: ['baking'] } } };
  const workspaces = { shop: { ...shop, load: false }, bakery, gone: { path: './gone', load: false } };
  await using server = await start({ agents, workspaces });
  const { url } = server;
  const change = (name: string, what: 'load' | 'unload'): Promise<Body> =>
    send(url, `/v1/workspaces/${name}/${what}`, {});
  const loaded = async (): Promise<readonly string[]> =>
    (await send(url, '/v1/workspaces')).items.filter((one: Body) => one.isLoaded).map((one: Body) => one.name);

  assert.deepEqual(await loaded(), ['bakery']);
  assert.match(
    (await agentNamed(url, 'keeper')).warnings[0],
    /agents\.keeper\.workspace: the workspace "shop" is not loaded/,
  );
  assert.match(await textOf(url, 'keeper', ['stock', {}]), /stock/);
  assert.deepEqual(await change('shop', 'load'), {
    name: 'shop',
    isLoaded: true,
    path: 'shop',
    agents: ['keeper'],
    tools: ['stock'],
    skills: ['pricing'],
    failures: [],
  });
  assert.deepEqual((await agentNamed(url, 'keeper')).skills, ['pricing']);
  assert.deepEqual((await agentNamed(url, 'keeper')).warnings, []);
  assert.equal(await textOf(url, 'keeper', ['stock', {}]), 'keeper in shop');
  // A reload does not undo it.
  assert.deepEqual((await send(url, '/v1/reload', {})).sources, []);
  assert.deepEqual(await loaded(), ['shop', 'bakery']);

  const waiting = task([['stock', { wait: true }]], [['stock', {}]]);
  const { id } = await send(url, '/v1/runs', { kind: 'agent', agent: 'keeper', task: waiting });
  await until(url, id, 'tool-call');
  assert.deepEqual((await change('shop', 'unload')).tools, []);
  await rewrite(server, 'shop/go', '');
  assert.match((await until(url, id, 'run-end')).text, /^keeper in shop \| .*stock/);
  assert.deepEqual((await agentNamed(url, 'keeper')).skills, []);

  const unknown = await change('shpo', 'load');
  assert.deepEqual(
    [unknown.error.code, /did you mean "shop"/.test(unknown.error.message)],
    ['E_WORKSPACE_UNKNOWN', true],
  );
  const missing = await change('gone', 'load');
  assert.equal(missing.error.code, 'E_WORKSPACE_INVALID');
  assert.match(missing.error.message, /workspaces\.gone\.path: there is no folder "gone"/);
  const needed = await change('bakery', 'unload');
  assert.match(
    needed.error.message,
    /"bakery" cannot be unloaded: agents\.baker\.skills\.impose\[0\]: there is no skill "baking"/,
  );
  assert.deepEqual(await loaded(), ['bakery']);
  assert.equal(await textOf(url, 'baker', ['oven', {}]), 'baker in bakery');

  // What is broken in a workspace hides none of the rest.
  await rewrite(server, 'shop/tools/broken.mjs', 'export default {');
  await rewrite(server, 'shop/tools/oven.mjs', workTool('oven'));
  const { failures, tools } = await change('shop', 'load');
  assert.deepEqual(tools, ['stock']);
  assert.deepEqual(
    failures.map(({ from }: Body) => from),
    ['broken.mjs', 'oven'],
  );
  assert.match(failures[1].message, /Tool oven of shop would shadow the tool of the same name of bakery/);
});
