import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { RaviConfig } from '@ravi/host';
import { openMonolith, serve } from '@ravi/monolith';
import { test } from 'vitest';
import { installAgents } from './support/agents.ts';
import { as, secrets, sha256 } from './support/callers.ts';
import type { CallerName } from './support/callers.ts';
import type { TestInstallation } from './support/installation.ts';
import type { Body } from './support/run-requests.ts';
import { delegate, task } from './support/sub-agents.ts';
import type { Call } from './support/sub-agents.ts';

const tokens: NonNullable<NonNullable<RaviConfig['server']>['tokens']> = [
  { principal: 'ada', tokenSha256: sha256(secrets.ada), toolRole: 'pilot' },
  { principal: 'eve', tokenSha256: sha256(secrets.eve), roles: ['approve'] },
  { principal: 'root', tokenSha256: sha256(secrets.root), roles: ['admin'] },
];

/** Returns a configuration with these rules. */
const withRules = (toolAccess: NonNullable<RaviConfig['toolAccess']>, callers = tokens): RaviConfig => ({
  server: { requestsPerMinute: 1_000_000, tokens: callers },
  toolAccess,
  agent: { tools: {}, delegates: ['pilot'] },
});
const wide = { roles: { pilot: {} } };
const narrow = { roles: { pilot: { deny: ['detonate'] } } };

interface World extends AsyncDisposable {
  ask(caller: CallerName, path: string, body?: unknown): Promise<Body>;
  /** Starts a run that waits for the approval of `detonate`, and returns both ids. */
  startPaused(run: object): Promise<{ readonly runId: string; readonly approval: string }>;
  approve(approval: string): Promise<void>;
  endOf(runId: string): Promise<string>;
}

async function open({ folder: cwd, configPath }: TestInstallation): Promise<World> {
  await using stack = new AsyncDisposableStack();
  const monolith = stack.use(await openMonolith({ cwd, configPath, env: {}, isServer: true }));
  const { url } = stack.use(await serve(monolith, { port: 0, graceMs: 0 }));
  const opened = stack.move();
  const ask: World['ask'] = async (caller, path, body) => {
    const headers = { 'content-type': 'application/json', ...as(caller) };
    const more = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    return (await fetch(`${url}${path}`, { headers, ...more })).json();
  };
  return {
    ask,
    async startPaused(run) {
      const { id: runId } = await ask('ada', '/v1/runs', run);
      for (;;) {
        const { items } = await ask('eve', `/v1/approvals?runId=${runId}&status=pending`);
        const { status } = await ask('ada', `/v1/runs/${runId}`);
        if (items.length > 0 && status === 'paused') return { runId, approval: items[0].id };
        await pause(20);
      }
    },
    async approve(approval) {
      const decided = await ask('eve', `/v1/approvals/${approval}/decision`, { decision: 'approved' });
      assert.equal(decided.error, undefined, JSON.stringify(decided));
    },
    async endOf(runId) {
      for (;;) {
        const run = await ask('ada', `/v1/runs/${runId}`);
        if (run.outcome !== undefined) return JSON.stringify(run);
        await pause(20);
      }
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

const detonate: Call = ['detonate', { target: 'mine' }];
const code = `return await tools.detonate({ target: 'mine' });`;
const refused = /detonate may not be called: the operator did not grant it|There is no tool named \W*detonate/;

const runs: Readonly<Record<string, object>> = {
  'an agent': { kind: 'agent', task: task([detonate]) },
  'a script of an agent': { kind: 'agent', task: task([['tool_chain', { code }]]) },
  'a delegate': { kind: 'agent', task: task([delegate('pilot', [detonate])]) },
  'a durable script': { kind: 'chain', code, approvalMode: 'pause' },
};

for (const [name, run] of Object.entries(runs)) {
  test(
    `a call of ${name} that was requested and is approved after the rules became narrower does not run`,
    { timeout: 60_000 },
    async () => {
      await using installation = await installAgents(withRules(wide));
      const write = (config: RaviConfig): Promise<void> => rewrite(installation, config);
      {
        await using world = await open(installation);
        const { runId, approval } = await world.startPaused(run);
        await write(withRules(narrow));
        assert.deepEqual((await world.ask('root', '/v1/reload', {})).config.changed, ['toolAccess.roles']);
        await world.approve(approval);
        assert.match(await world.endOf(runId), refused);
      }
      await write(withRules(wide));
      let waiting;
      {
        await using world = await open(installation);
        waiting = await world.startPaused(run);
      }
      await write(withRules(narrow));
      await using next = await open(installation);
      await next.approve(waiting.approval);
      assert.match(await next.endOf(waiting.runId), refused);
      assert.deepEqual(await installation.launches(), []);
    },
  );
}

/** Writes other rules into the configuration; `text` is what the file had. */
async function rewrite({ configPath }: TestInstallation, config: RaviConfig, text?: string): Promise<void> {
  const before = JSON.parse(text ?? (await readFile(configPath, 'utf8')));
  await writeFile(configPath, JSON.stringify({ ...before, server: config.server, toolAccess: config.toolAccess }));
}

test('a reload keeps the rules if the file is broken or gone, and a caller without a token gets no tools', async () => {
  await using installation = await installAgents(withRules({ disabled: ['wait'], roles: narrow.roles }));
  await using world = await open(installation);
  const text = await readFile(installation.configPath, 'utf8');
  const reload = async (): Promise<Body> => (await world.ask('root', '/v1/reload', {})).config;
  const unknown = 'E_TOOL_UNKNOWN';
  const call = async (tool: string): Promise<string> => {
    const { status, error } = await world.ask('ada', `/v1/tools/${tool}`, { args: {} });
    return error?.code ?? status;
  };
  assert.deepEqual(await reload(), { changed: [], needsRestart: [], failures: [], warnings: [] });
  const mistakes: readonly (readonly [NonNullable<RaviConfig['toolAccess']> | string, RegExp])[] = [
    ['{', /expected a property name/],
    [{ roles: { pilto: {} } }, /toolAccess\.roles has no role "pilot"; did you mean "pilto"\?/],
    [{ ...narrow, disabled: ['git commit'] }, /toolAccess\.disabled.*"git commit" matches no tool/],
  ];
  for (const [mistake, message] of mistakes) {
    if (typeof mistake === 'string') await writeFile(installation.configPath, mistake);
    else await rewrite(installation, withRules(mistake), text);
    assert.match((await reload()).failures[0].message, message);
    assert.deepEqual([await call('detonate'), await call('wait'), await call('echo')], [unknown, unknown, 'ok']);
  }
  await rm(installation.configPath);
  assert.match((await reload()).failures[0].message, /does not exist|could not be read/);
  assert.deepEqual([await call('detonate'), await call('wait')], [unknown, unknown]);

  // The server knows her token until it starts again.
  await rewrite(installation, withRules({}, tokens.slice(1)), text);
  assert.deepEqual(await reload(), {
    changed: ['toolAccess.disabled', 'toolAccess.roles', 'server.tokens[].toolRole'],
    needsRestart: ['server.tokens'],
    failures: [],
    warnings: [],
  });
  assert.equal(await call('echo'), unknown);
  assert.deepEqual((await world.ask('ada', '/v1/tools')).items, []);
});

test('rules without an effect are warnings for operators, with suggestions', async () => {
  const toolAccess = {
    disabled: ['Launch', 'mcp:github/*'],
    roles: { pilot: { deny: ['detonat*', 'ehco'] }, spare: {} },
  };
  await using installation = await installAgents(withRules(toolAccess));
  await using world = await open(installation);
  const expected = [
    'toolAccess.disabled: the pattern "Launch" matches no tool; did you mean launch?',
    'toolAccess.disabled: the pattern "mcp:github/*" matches no tool',
    'toolAccess.roles.pilot: the pattern "ehco" matches no tool; did you mean echo?',
    'toolAccess.roles.spare: no access token has this toolRole',
  ];
  assert.deepEqual((await world.ask('eve', '/v1/settings')).warnings, expected);
  assert.deepEqual((await world.ask('ada', '/v1/settings')).warnings, []);
  assert.deepEqual((await world.ask('root', '/v1/reload', {})).config.warnings, expected);
  assert.equal((await world.ask('ada', '/v1/session')).toolRole, 'pilot');
  // A name with another case is another name: what was written disables nothing, and calls nothing.
  assert.equal((await world.ask('ada', '/v1/tools/launch', { args: {} })).status, 'ok');
  assert.equal((await world.ask('ada', '/v1/tools/LAUNCH', { args: {} })).error.code, 'E_TOOL_UNKNOWN');
});
