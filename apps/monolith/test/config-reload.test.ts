import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { RaviConfig } from '@ravi/host';
import { installAgents } from './support/agents.ts';
import type { TestInstallation } from './support/installation.ts';
import { approve, pendingOf, send, start, until, untilStatus } from './support/run-requests.ts';
import type { Body } from './support/run-requests.ts';
import { startBundled } from './support/server-process.ts';
import { delegate, task } from './support/sub-agents.ts';
import { test } from 'vitest';

/** Waits for a file. */
const holdTool = `
import { access } from 'node:fs/promises';
import { join } from 'node:path';
export default {
  name: 'hold', description: 'Waits.', risk: 'safe', inputSchema: { type: 'object' },
  async execute() {
    const isThere = () => access(join(import.meta.dirname, '../go')).then(() => true, () => false);
    while (!(await isThere())) await new Promise((resolve) => setTimeout(resolve, 10));
    return { content: [{ type: 'text', text: 'held' }], isError: false };
  },
};`;

const skill = (name: string, text: string): string =>
  `---\nname: ${name}\ndescription: About ${name}.\n---\n\n${text}\n`;

const plugins = { modelProvider: [{ use: './model.mjs' }, { use: './judging.mjs' }] };

/** An installation whose files and configuration a test replaces. */
async function install(config: RaviConfig): Promise<{
  readonly installation: TestInstallation;
  write(name: string, text: string): Promise<void>;
  configure(config: RaviConfig | string): Promise<void>;
}> {
  const installation = await installAgents(config);
  const write = async (name: string, text: string): Promise<void> => {
    await mkdir(dirname(join(installation.folder, name)), { recursive: true });
    await writeFile(join(installation.folder, name), text);
  };
  await write('tools/hold.mjs', holdTool);
  const configure = (next: RaviConfig | string): Promise<void> =>
    write(
      'ravi.config.json',
      typeof next === 'string' ? next : JSON.stringify({ tools: ['./tools'], plugins, ...next }),
    );
  return { installation, write, configure };
}

const reload = (url: string): Promise<Body> => send(url, '/v1/reload', {});
const toolsOf = async (url: string, agent: string): Promise<readonly string[]> =>
  (await send(url, '/v1/agents')).items.find(({ name }: Body) => name === agent)?.tools;

test(
  'a reload changes agents, also for runs that work: a denied tool and a removed agent count at once',
  { timeout: 180_000 },
  async () => {
    const allowed = { allow: ['hold', 'echo', 'pilot'] };
    const { installation, write, configure } = await install({ agent: { tools: allowed, delegates: ['pilot'] } });
    await using _ = installation;
    using server = startBundled(installation.folder);
    const url = await server.url();
    const steps = task([['hold', {}]], [['echo', {}]], [delegate('pilot', [['echo', {}]])]);
    const running = await start(url, steps);
    await until(url, running, 'tool-call');

    await configure({
      agent: { model: 'calling', tools: { ...allowed, deny: ['echo'] } },
      agents: { scout: { model: 'calling', description: 'Looks.', tools: { allow: ['hold'] } } },
      defaultAgent: 'ravi',
      server: { maxConcurrent: 7 },
      policy: { maxRiskUnapproved: 'safe', maxToolCalls: 9 },
    });
    const changes = await reload(url);
    assert.deepEqual(changes.agents, { added: ['scout'], changed: ['ravi'], removed: ['pilot', 'judge'] });
    const fixed = ['server.maxConcurrent'];
    assert.deepEqual(changes.config.needsRestart.toSorted(), fixed);
    for (const place of ['agents.scout', 'policy.maxRiskUnapproved', 'policy.maxToolCalls'])
      assert.ok(changes.config.changed.includes(place), place);
    assert.deepEqual(changes.config.failures, []);

    await write('go', '');
    const ended = await until(url, running, 'run-end');
    assert.match(ended.text, /^held \| The tool echo is not allowed in this session \| .*pilot/);
    assert.doesNotMatch(ended.text, /launched/);
    const refused = await send(url, '/v1/runs', { kind: 'agent', agent: 'pilot', task: task() });
    assert.equal(refused.error.code, 'E_AGENT_UNKNOWN');
    const scout = await send(url, '/v1/runs', { kind: 'agent', agent: 'scout', task: task([['hold', {}]]) });
    assert.equal((await until(url, scout.id, 'run-end')).text, 'held');

    // The same again changes nothing.
    const again = await reload(url);
    assert.deepEqual([again.agents.changed, again.config.changed], [[], []]);
    assert.deepEqual(again.config.needsRestart.toSorted(), fixed);
  },
);

test(
  'a mistake in the configuration keeps the previous one and is reported at its place',
  { timeout: 180_000 },
  async () => {
    const { installation, write, configure } = await install({ skills: ['./skills'] });
    await using _ = installation;
    await write('skills/careful/SKILL.md', skill('careful', 'Take care.'));
    using server = startBundled(installation.folder);
    const url = await server.url();
    const before = await toolsOf(url, 'pilot');
    const skills = ['./skills'];
    const cases: readonly (readonly [RaviConfig | string, RegExp])[] = [
      ['{\n  "agents": {,}\n}', /^ravi\.config\.json:2:14: expected a property name in double quotes/],
      [{ skills, agents: { pilot: { model: 'callign' } } }, /agents\.pilot\.model.*callign/],
      [
        { skills, agents: { pilot: { skills: { offer: ['carefull'] } } } },
        /agents\.pilot\.skills\.offer\[0\].*did you mean "careful"/,
      ],
      [
        { skills, agents: { a: { delegates: ['b'] }, b: { guards: [{ agent: 'a', tools: ['echo'] }] } } },
        /agents: a → b → a is a circle of delegates or guards/,
      ],
      [{ skills, agent: { delegates: ['pilto'] } }, /agent\.delegates\[0\]: there is no agent "pilto"/],
      [{ skills, agents: { pilot: { tools: { allow: ['a/b'] } } } }, /The tool pattern "a\/b" matches no tool/],
      [
        { skills, agents: { a: {} }, agent: { delegates: [{ agent: 'a', name: 'echo' }] } },
        /The delegate "echo" has the name of a tool of tools/,
      ],
      [{ skills, tools: ['./tools', './gone'] }, /gone/],
      [{ skills: ['./gone'] }, /gone/],
      [{ skills, budgets: { perPrincipal: { maxTokensPerDay: -1 } } }, /budgets/],
      [{ skills, agents: { a: { budget: { maxCost: 1 } } } }, /agents\.a\.budget\.maxCost/],
    ];
    for (const [config, message] of cases) {
      await configure(config);
      const { config: outcome, agents, skills: ofSkills } = await reload(url);
      assert.equal(outcome.failures.length, 1, JSON.stringify(outcome));
      assert.match(outcome.failures[0].message, message);
      assert.doesNotMatch(outcome.failures[0].message, new RegExp(installation.folder));
      assert.deepEqual([outcome.changed, agents.changed, agents.removed, ofSkills.removed], [[], [], [], []]);
    }
    assert.deepEqual(await toolsOf(url, 'pilot'), before);

    // Files of skills count although the configuration is broken; a broken one stays as it was.
    await write('skills/quick/SKILL.md', skill('quick', 'Hurry.'));
    await write('skills/careful/SKILL.md', 'no front matter');
    const { skills: changed } = await reload(url);
    assert.deepEqual(changed.added, ['quick']);
    assert.equal(changed.failures[0].from, 'skills/careful/SKILL.md');
    assert.match(changed.failures[0].message, /careful stays as before/);
    assert.deepEqual(
      (await send(url, '/v1/skills')).items.map(({ name }: Body) => name),
      ['careful', 'quick'],
    );
    await configure({ skills });
    assert.deepEqual((await reload(url)).config.failures, []);
  },
);

test(
  'folders and limits of a day change with the configuration, and waiting runs continue',
  { timeout: 180_000 },
  async () => {
    const config: RaviConfig = { agent: { model: 'calling', tools: { allow: ['launch', 'echo', 'extra'] } } };
    const { installation, write, configure } = await install({});
    await using _ = installation;
    await configure(config);
    using server = startBundled(installation.folder);
    const url = await server.url();
    const waiting = await start(url, task([['launch', { target: 'moon' }]]));
    const [asked] = await pendingOf(url, waiting, 1);
    await untilStatus(url, waiting, 'paused');

    await write('more/extra.mjs', holdTool.replace(`'hold'`, `'extra'`));
    await configure({ ...config, tools: ['./tools', './more'], budgets: { perPrincipal: { maxToolCallsPerDay: 2 } } });
    const { sources, config: outcome } = await reload(url);
    assert.deepEqual(outcome.failures, []);
    assert.deepEqual(sources.find(({ source }: Body) => source === 'more').added, ['extra']);
    assert.ok((await toolsOf(url, 'ravi')).includes('extra'));
    await approve(url, asked);
    assert.equal((await until(url, waiting, 'run-end')).text, 'launched');
    // The limit counts since the reload: one call is left.
    const limited = await start(url, task([['echo', {}]], [['echo', {}]]));
    const ended = await until(url, limited, 'run-end');
    assert.match(ended.error.message, /budgets\.perPrincipal\.maxToolCallsPerDay/);

    await configure({ ...config, tools: ['./tools'] });
    const removed = await reload(url);
    assert.deepEqual(removed.sources.find(({ source }: Body) => source === 'more').removed, ['extra']);
    assert.equal((await send(url, '/v1/tools/extra', { args: {} })).error.code, 'E_TOOL_UNKNOWN');
    assert.equal((await until(url, await start(url, task([['echo', {}]])), 'run-end')).error, undefined);
    await rm(join(installation.folder, 'ravi.config.json'));
    assert.match((await reload(url)).config.failures[0].message, /does not exist/);
  },
);
