import assert from 'node:assert/strict';
import type { RaviConfig } from '@ravi/host';
import { connectMcp, textOf } from '@ravi/mcp-testing';
import { openMonolith, serve } from '@ravi/monolith';
import { createMemoryLogger } from '@ravi/testkit';
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

const logger = createMemoryLogger();
let installation: TestInstallation;
let url: string;
const opened = new AsyncDisposableStack();
beforeAll(async () => {
  installation = opened.use(await installAgents(config, guides));
  const { folder: cwd, configPath } = installation;
  const monolith = opened.use(await openMonolith({ cwd, configPath, env: {}, isServer: true, logger }));
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

const callOf = (tool: string): Call => [tool, { target: 'sun' }];
const inScript = (tool: string): Call => ['tool_chain', { code: `return await tools.${tool}({ target: 'sun' });` }];

/** Paths to a tool, each with what it returns. */
const paths: Readonly<Record<string, (caller: CallerName, tool: string) => Promise<string>>> = {
  'a direct call': async (caller, tool) => (await ask(caller, `/v1/tools/${tool}`, { args: {} })).text,
  'a script': async (caller, tool) =>
    (await ask(caller, '/v1/chains', { code: `return tools.${tool}({})` })).outputText,
  'a script in a direct call': async (caller, tool) =>
    (await ask(caller, '/v1/tools/tool_chain', { args: { code: `return tools.${tool}({})` } })).text,
  'the model of an agent': (caller, tool) => runAgent(caller, task([callOf(tool)])),
  'a script of an agent': (caller, tool) => runAgent(caller, task([inScript(tool)])),
  'a delegate with tools of its own': (caller, tool) => runAgent(caller, task([delegate('pilot', [callOf(tool)])])),
  'a delegate that a script calls': (caller, tool) =>
    runAgent(
      caller,
      task([['tool_chain', { code: `return tools.pilot({ task: ${JSON.stringify(task([callOf(tool)]))} })` }]]),
    ),
  'a sub-agent of a tool folder, with a toolbox of its own': (caller, tool) =>
    runAgent(caller, task([delegate('helper', [callOf(tool)])])),
  'a sub-agent with an invoker of its own': (caller, tool) =>
    runAgent(caller, task([delegate('scripter', [inScript(tool)])])),
  'a job': (caller, tool) => runAgent(caller, task([delegate('courier', [callOf(tool)])]), 'history'),
  'a saved script': async (caller, tool) => {
    const code = `const { text, error } = await tools.${tool}.safe({}); return error?.message ?? text;`;
    const saved = await ask(caller, `/v1/snippets/start_${tool}`, { code, description: 'Starts.' }, 'PUT');
    assert.equal(saved.error, undefined, JSON.stringify(saved));
    const { outputText } = await ask(caller, `/v1/snippets/start_${tool}/run`, {});
    return `${outputText} ${JSON.stringify(saved)}`;
  },
  'a sign-in of a browser': async (caller, tool) => {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ token: secrets[caller] });
    const signIn = await fetch(`${url}/v1/session`, { method: 'POST', headers, body });
    const [cookie = ''] = (signIn.headers.get('set-cookie') ?? '').split(';');
    const call = { method: 'POST', headers: { ...headers, cookie, origin: url }, body: '{}' };
    return ((await (await fetch(`${url}/v1/tools/${tool}`, call)).json()) as Body).text;
  },
  'a request in the format of the Responses API': async (caller, tool) =>
    JSON.stringify(await ask(caller, '/v1/responses', { input: task([callOf(tool)]) })),
  'a client of /mcp': async (caller, tool) => {
    await using mcp = await connectMcp(url, '2025-11-25', { token: secrets[caller] });
    return textOf(await mcp.execute(`return await tools.${tool}({})`));
  },
};

/** Paths through an agent whose configuration names the tool: it says more than that there is no such tool. */
const naming: ReadonlySet<string> = new Set(['a delegate with tools of its own', 'a delegate that a script calls']);

/** Returns an answer without what differs between two equal requests. */
const comparable = (answer: string, tool: string): string =>
  answer.replaceAll(tool, 'TOOL').replaceAll(/[\da-f-]{8,}|\d+/g, '0');

for (const [name, path] of Object.entries(paths)) {
  test(`${name} calls a tool only for callers whose tool role has it`, { timeout: 60_000 }, async () => {
    const before = (await installation.launches()).length;
    const refusal = await path('ada', 'launch');
    if (naming.has(name)) assert.match(refusal, /launch may not be called: the operator did not grant it/);
    else {
      assert.match(refusal, /There is no tool named \W*launch/);
      assert.equal(comparable(refusal, 'launch'), comparable(await path('ada', 'lxunch'), 'lxunch'));
    }
    assert.equal((await installation.launches()).length, before);
    await path('bob', 'launch');
    // A script runs once before it is saved.
    assert.ok((await installation.launches()).length > before);
  });
}

test('a caller cannot find out that a tool exists which its role does not have, and the log says why', async () => {
  for (const tool of ['launch', 'crash']) {
    const answers = async (name: string): Promise<string> => {
      const call = await ask('ada', `/v1/tools/${name}`, { args: { target: 5 } });
      return comparable(JSON.stringify([await ask('ada', `/v1/tools/${name}`), call]), name);
    };
    assert.equal(await answers(tool), await answers(`${tool}x`));
  }
  const hidden = logger.records.filter(({ message }) => message === 'call of a hidden tool');
  const told = hidden.map(({ fields }) => [fields?.['tool'], fields?.['code'], fields?.['shownAs']].join(' '));
  assert.ok(told.includes('launch E_TOOL_NOT_ALLOWED E_TOOL_UNKNOWN'), told.join());
  assert.ok(told.includes('crash E_TOOLS_DISABLED E_TOOL_UNKNOWN'), told.join());
});

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
