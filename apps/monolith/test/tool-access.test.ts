import assert from 'node:assert/strict';
import type { RaviConfig } from '@ravi/host';
import { connectMcp, textOf } from '@ravi/mcp-testing';
import { openMonolith, serve } from '@ravi/monolith';
import { afterAll, beforeAll, test } from 'vitest';
import { installAgents } from './support/agents.ts';
import { as, secrets, sha256 } from './support/callers.ts';
import type { CallerName } from './support/callers.ts';
import type { TestInstallation } from './support/installation.ts';
import type { Body } from './support/run-requests.ts';
import { readEvents } from './support/event-reader.ts';
import { delegate, task } from './support/sub-agents.ts';
import type { Call } from './support/sub-agents.ts';

/** Callers: `ada` has the role `reader`, `bob` has none, `eve` approves, `root` administers. */
const config: RaviConfig = {
  server: {
    requestsPerMinute: 1_000_000,
    tokens: [
      { principal: 'ada', tokenSha256: sha256(secrets.ada), toolRole: 'reader' },
      { principal: 'bob', tokenSha256: sha256(secrets.bob) },
      { principal: 'eve', tokenSha256: sha256(secrets.eve), roles: ['approve'] },
      { principal: 'root', tokenSha256: sha256(secrets.root), roles: ['admin'] },
    ],
  },
  toolAccess: {
    disabled: ['crash', 'boss'],
    roles: { reader: { deny: ['launch', 'detonate'] } },
  },
  agent: { tools: {}, delegates: ['pilot'] },
  kits: ['./kits'],
  toolSkills: ['./advice'],
};

const guides = {
  'kits/flight.yaml': 'name: flight\ngoal: Fly.\ntools: [launch]\nsteps: [Go]\n',
  'kits/words.yaml': 'name: words\ngoal: Repeat.\ntools:\n  - any: [echo, launch]\nsteps: [Go]\n',
  'advice/launch.yaml': 'tool: launch\ntips: Look up.\n',
};

let installation: TestInstallation;
let url: string;
const opened = new AsyncDisposableStack();
beforeAll(async () => {
  installation = opened.use(await installAgents(config, guides));
  const { folder: cwd, configPath } = installation;
  const monolith = opened.use(await openMonolith({ cwd, configPath, env: {}, isServer: true }));
  ({ url } = opened.use(await serve(monolith, { port: 0, graceMs: 0 })));
});
afterAll(() => opened.disposeAsync());

async function ask(caller: CallerName, path: string, body?: unknown, method = 'POST'): Promise<Body> {
  const response = await fetch(`${url}${path}`, {
    headers: { 'content-type': 'application/json', ...as(caller) },
    ...(body === undefined ? {} : { method, body: JSON.stringify(body) }),
  });
  return response.json();
}

/** Runs the agent on a task and returns the text with which it ends, or all of its conversation. */
async function runAgent(caller: CallerName, text: string, what: 'end' | 'history' = 'end'): Promise<string> {
  const { id, sessionId } = await ask(caller, '/v1/runs', { kind: 'agent', task: text });
  const response = await fetch(`${url}/v1/runs/${id}/events`, { headers: as(caller) });
  for await (const { event, data } of readEvents(response)) {
    if (event !== 'run-end') continue;
    if (what === 'end') return JSON.parse(data).data.text;
    return JSON.stringify((await ask(caller, `/v1/sessions/${sessionId}/history`)).items);
  }
  throw new Error('The run has no end');
}

const launch: Call = ['launch', { target: 'sun' }];
const inScript: Call = ['tool_chain', { code: `return await tools.launch({ target: 'sun' });` }];

/** Paths to `launch`, each with what it returns. */
const paths: Readonly<Record<string, (caller: CallerName) => Promise<string>>> = {
  'a direct call': async (caller) => (await ask(caller, '/v1/tools/launch', { args: {} })).text,
  'a script': async (caller) => (await ask(caller, '/v1/chains', { code: 'return tools.launch({})' })).outputText,
  'a script in a direct call': async (caller) =>
    (await ask(caller, '/v1/tools/tool_chain', { args: { code: 'return tools.launch({})' } })).text,
  'the model of an agent': (caller) => runAgent(caller, task([launch])),
  'a script of an agent': (caller) => runAgent(caller, task([inScript])),
  'a delegate with tools of its own': (caller) => runAgent(caller, task([delegate('pilot', [launch])])),
  'a delegate that a script calls': (caller) =>
    runAgent(
      caller,
      task([['tool_chain', { code: `return tools.pilot({ task: ${JSON.stringify(task([launch]))} })` }]]),
    ),
  'a sub-agent of a tool folder, with a toolbox of its own': (caller) =>
    runAgent(caller, task([delegate('helper', [launch])])),
  'a sub-agent with an invoker of its own': (caller) => runAgent(caller, task([delegate('scripter', [inScript])])),
  'a job': (caller) => runAgent(caller, task([delegate('courier', [launch])]), 'history'),
  'a saved script': async (caller) => {
    const code = 'const { text, error } = await tools.launch.safe({}); return error?.message ?? text;';
    const saved = await ask(caller, '/v1/snippets/start', { code, description: 'Starts.' }, 'PUT');
    assert.equal(saved.error, undefined, JSON.stringify(saved));
    return (await ask(caller, '/v1/snippets/start/run', {})).outputText;
  },
  'a sign-in of a browser': async (caller) => {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ token: secrets[caller] });
    const signIn = await fetch(`${url}/v1/session`, { method: 'POST', headers, body });
    const [cookie = ''] = (signIn.headers.get('set-cookie') ?? '').split(';');
    const call = { method: 'POST', headers: { ...headers, cookie, origin: url }, body: '{}' };
    return ((await (await fetch(`${url}/v1/tools/launch`, call)).json()) as Body).text;
  },
  'a request in the format of the Responses API': async (caller) =>
    JSON.stringify(await ask(caller, '/v1/responses', { input: task([launch]) })),
  'a client of /mcp': async (caller) => {
    await using mcp = await connectMcp(url, '2025-11-25', { token: secrets[caller] });
    return textOf(await mcp.execute('return await tools.launch({})'));
  },
};

for (const [name, path] of Object.entries(paths)) {
  test(`${name} calls a tool only for callers whose tool role has it`, { timeout: 60_000 }, async () => {
    const before = (await installation.launches()).length;
    const refusal = await path('ada');
    assert.match(refusal, /launch may not be called: the operator did not grant it/);
    assert.equal((await installation.launches()).length, before);
    await path('bob');
    // A script runs once before it is saved.
    assert.ok((await installation.launches()).length > before);
  });
}

test('metrics name only tools that their caller may call, and count all of them', async () => {
  await ask('bob', '/v1/tools/launch', { args: {} });
  const metricsOf = async (caller: CallerName): Promise<string> =>
    (await fetch(`${url}/metrics`, { headers: as(caller) })).text();
  const [ada, bob, root] = [await metricsOf('ada'), await metricsOf('bob'), await metricsOf('root')];
  const sumOf = (text: string): number =>
    [...text.matchAll(/^ravi_tool_calls_total\{.*\} (\d+)$/gm)].reduce((sum, [, count]) => sum + Number(count), 0);
  assert.deepEqual(
    [ada, bob, root].map((text) => text.includes('{tool="launch"}')),
    [false, true, true],
  );
  assert.ok(sumOf(ada) > 0);
  assert.deepEqual([sumOf(ada), sumOf(bob)], [sumOf(root), sumOf(root)]);
});

test('lists show only what their caller may call', { timeout: 60_000 }, async () => {
  const seen = async (caller: CallerName): Promise<readonly string[]> => {
    await using mcp = await connectMcp(`${url}?mode=tools`, '2025-11-25', { token: secrets[caller] });
    const { tools } = await mcp.client.listTools();
    const named = (items: Body): readonly string[] => items.map((item: Body) => item.name);
    const ravi = (await ask(caller, '/v1/agents')).items.find((agent: Body) => agent.name === 'ravi');
    const [source] = (await ask(caller, '/v1/sources')).items;
    const texts = [
      ...named((await ask(caller, '/v1/tools')).items),
      ...named((await ask(caller, '/v1/tools?q=leaves')).items),
      ...named(tools),
      ...ravi.tools,
      ...named(source.tools),
      JSON.stringify((await ask(caller, '/v1/skills')).items),
      await runAgent(caller, task([['search_tools', { query: 'launch' }]])),
      (await ask(caller, '/v1/chains', { code: `return tools.search('launch')` })).outputText,
      (await ask(caller, '/v1/tools/launch')).description ?? '',
    ];
    return ['launch', 'detonate', 'crash', 'echo'].filter((name) =>
      texts.some((text) => new RegExp(`\\b${name}\\b`).test(text)),
    );
  };
  assert.deepEqual(await seen('ada'), ['echo']);
  assert.deepEqual(await seen('bob'), ['launch', 'detonate', 'echo']);
  assert.equal((await ask('ada', '/v1/tools/launch')).error.code, 'E_TOOL_UNKNOWN');
  // What every model reads names only tools that every caller may call.
  const { description } = await ask('bob', '/v1/tools/tool_chain');
  assert.doesNotMatch(description, /\blaunch\b/);
  assert.match(description, /\becho\b/);
});
