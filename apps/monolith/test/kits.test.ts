import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RaviConfig } from '@ravi/host';
import { afterAll, beforeAll, test } from 'vitest';
import { start, until } from './support/run-requests.ts';
import { startServer } from './support/server.ts';
import type { TestServer } from './support/server.ts';

type Call = readonly [name: string, args: object];

/** Makes the calls of its task, and ends with its system prompt at each request and the results that it read. */
const model = `
const prompts = new Map();
async function* stream({ messages, system = '' }) {
  const task = messages[0].content[0].text;
  const seen = [...(prompts.get(task) ?? []), system];
  prompts.set(task, seen);
  const calls = JSON.parse(task).calls[seen.length - 1];
  const results = messages.flatMap(({ content }) => content.filter(({ type }) => type === 'tool_result'));
  for (const [index, [name, args]] of (calls ?? []).entries()) {
    yield { type: 'block', block: { type: 'tool_use', id: 'call_' + seen.length + '_' + index, name, arguments: args } };
  }
  if (calls === undefined) {
    const text = JSON.stringify({ prompts: seen, results: results.map(({ content }) => content[0]?.text) });
    yield { type: 'block', block: { type: 'text', text } };
  }
  yield { type: 'finish', reason: calls === undefined ? 'end' : 'tool-use', usage: { inputTokens: 1, outputTokens: 1 } };
}
export default {
  name: 'reader', port: 'modelProvider', configSchema: { type: 'object' }, create: () => ({ id: 'reader', stream }),
};
`;

const tool = (name: string): string => `{
  name: '${name}', description: 'Does ${name}.', risk: 'safe', inputSchema: { type: 'object' },
  async execute() { return { content: [{ type: 'text', text: '${name}' }], isError: false }; },
}`;

const files = {
  'model.mjs': model,
  'tools/development.mjs': `export default [${['run_tests', 'write_file', 'lint'].map(tool).join(', ')}];`,
  'kits/release.yaml': `name: release
goal: Publish a version.
tools:
  - run_tests
  - for: sending mail
    any: [echo, "mail.*"]
steps:
  - Run all tests.
  - "Send the mail: to everyone."
tips: Not on Fridays.
`,
  'kits/typo.yaml': 'name: typo\ngoal: Goes nowhere.\ntools:\n  - echo\n  - rnu_tests\nsteps: [Go]\n',
  'kits/broken.yaml': 'name: broken\ngoal: 7\nstep: [Go]\ntools: [echo]\n',
  'kits/notes.txt': 'not a kit',
  'advice/tests.yaml': `tool: run_tests
when_to_use: After each change.
when_not_to_use:
  - To read a file.
examples:
  - task: Run one file
    args: { path: a.test.ts }
  - Run everything
tips: [It takes a minute.]
`,
  'skills/reading/SKILL.md': '---\nname: reading\ndescription: How to read.\nallowed-tools: echo\n---\nRead twice.\n',
};

const kit = files['kits/release.yaml'];

let server: TestServer;
beforeAll(async () => {
  const config = {
    skills: ['./skills'],
    kits: ['./kits', 'ravi:kits'],
    toolSkills: ['./advice'],
    agents: {
      tester: { tools: { deny: ['run_tests'] } },
      writer: { kits: ['tdd_workflow'] },
      imposed: { skills: { impose: ['reading'] } },
    },
    plugins: { modelProvider: [{ use: './model.mjs' }] },
  };
  server = await startServer(config, files, { isServer: true });
});
afterAll(() => server[Symbol.asyncDispose]());

interface Seen {
  readonly prompts: readonly string[];
  readonly results: readonly string[];
}

let tasks = 0;
/** Runs an agent that makes these calls, one list for each step. */
async function read(agent: string, ...calls: readonly (readonly Call[])[]): Promise<Seen> {
  // Each task differs, because the model counts its requests by their task.
  const id = await start(server.url, JSON.stringify({ task: ++tasks, calls }), agent);
  return JSON.parse((await until(server.url, id, 'run-end')).text) as Seen;
}

const headings = (prompt: string | undefined): readonly string[] => prompt?.match(/^## (?:Kit|Advice).*$/gm) ?? [];

test('the model reads a kit and the skill of a tool while it may call the tools, and no longer when it may not', async () => {
  const { prompts } = await read(
    'ravi',
    [['activate_skill', { name: 'reading' }]],
    [['deactivate_skill', { name: 'reading' }]],
  );
  const all = ['## Kit: release', '## Kit: tdd_workflow', '## Advice on run_tests'];
  assert.deepEqual(prompts.map(headings), [all, [], all]);
  assert.match(
    prompts[0] ?? '',
    /## Kit: release\n\nGoal: Publish a version\.\nTool: run_tests\nTools for sending mail: echo\n\nSteps:\n1\. Run all tests\.\n2\. Send the mail: to everyone\.\n\nTips:\n- Not on Fridays\./,
  );
  assert.match(prompts[0] ?? '', /Tools for writing files: write_file\nTools for running tests: run_tests\n/);
});

test('a tool that an agent may not call hides its kits and its skill, and an agent can choose its kits', async () => {
  assert.deepEqual(headings((await read('tester')).prompts[0]), []);
  assert.deepEqual(headings((await read('writer')).prompts[0]), ['## Kit: tdd_workflow', '## Advice on run_tests']);
});

test('describe_tool shows the skill of a tool, also in a script, and only to agents that may call the tool', async () => {
  const script = { code: "return await tools.describe('run_tests');" };
  const { results } = await read('ravi', [
    ['describe_tool', { name: 'run_tests' }],
    ['describe_tool', { name: 'lint' }],
    ['tool_chain', script],
  ]);
  const advice =
    /When to use:\n- After each change\.\n\nWhen not to use:\n- To read a file\.\n\nExamples:\n- Run one file: \{"path":"a\.test\.ts"\}\n- Run everything\n\nTips:\n- It takes a minute\./;
  assert.match(results[0] ?? '', advice);
  assert.doesNotMatch(results[1] ?? '', /Advice/);
  assert.match((results[2] ?? '').replaceAll(String.raw`\n`, '\n').replaceAll(String.raw`\"`, '"'), advice);
  const { results: denied } = await read('tester', [['describe_tool', { name: 'run_tests' }]]);
  assert.match(denied[0] ?? '', /There is no tool named "run_tests"/);
});

test('skills, kits and tool skills are listed with the agents that see them, and the reason of those that do not', async () => {
  const { body } = await server.get('/v1/skills');
  const found = new Map(body.items.map((item: { readonly name: string }) => [item.name, item])) as ReadonlyMap<
    string,
    // oxlint-disable-next-line typescript/no-explicit-any -- the parts that are read are asserted
    any
  >;
  assert.deepEqual(
    body.items.map(({ kind, name }: { kind: string; name: string }) => `${kind} ${name}`),
    [
      'skill reading',
      'kit release',
      'kit typo',
      'kit code_quality',
      'kit debug_cycle',
      'kit project_setup',
      'kit tdd_workflow',
      'tool-skill run_tests',
    ],
  );
  assert.deepEqual(found.get('release').agents, [
    { name: 'ravi', state: 'imposed' },
    { name: 'tester', state: 'hidden', reason: 'run_tests may not be called' },
    { name: 'writer', state: 'hidden', reason: 'agents.writer.kits does not name it' },
    { name: 'imposed', state: 'hidden', reason: 'run_tests may not be called' },
  ]);
  assert.deepEqual(
    found.get('reading').agents.map(({ state }: { state: string }) => state),
    ['offered', 'offered', 'offered', 'imposed'],
  );
  assert.equal(found.get('run_tests').agents[1].reason, 'run_tests may not be called');
  assert.equal(found.get('project_setup').agents[0].reason, 'there is no tool for version control');
  assert.deepEqual(found.get('project_setup').warnings, []);
});

test('a kit with an unknown tool has a warning, and a broken one hides no other, both at file and line', async () => {
  const { body } = await server.get('/v1/skills');
  const typo = body.items.find(({ name }: { name: string }) => name === 'typo');
  assert.deepEqual(typo.warnings, [
    'kits/typo.yaml:5: no tool is named or matches "rnu_tests"; did you mean run_tests?',
  ]);
  assert.deepEqual(body.failures, [
    { from: 'kits/broken.yaml:1', message: 'a kit needs "steps"' },
    { from: 'kits/broken.yaml:2', message: '"goal" must be a text, got the number 7' },
    { from: 'kits/broken.yaml:3', message: 'a kit has an unknown field "step"; did you mean steps?' },
  ]);
});

test('a reload brings, changes and removes kits for new runs; a broken one stays as before', async () => {
  const { folder } = server.installation;
  await writeFile(join(folder, 'kits/release.yaml'), files['kits/release.yaml'].replace('Publish', 'Announce'));
  await writeFile(join(folder, 'kits/second.yaml'), 'name: second\ngoal: More.\ntools: [echo]\nsteps: [Go]\n');
  await writeFile(join(folder, 'advice/tests.yaml'), 'tool: run_tests\ntisp: none\n');
  const { body } = await server.post('/v1/reload', {});
  assert.deepEqual(
    [body.skills.added, body.skills.changed, body.skills.removed],
    [['kit second'], ['kit release'], []],
  );
  assert.deepEqual(body.skills.failures.slice(-1), [
    {
      from: 'advice/tests.yaml:2',
      message: 'a tool skill has an unknown field "tisp"; did you mean tips?; the tool skill stays as before',
    },
  ]);
  const { prompts } = await read('ravi');
  assert.match(prompts[0] ?? '', /Goal: Announce a version/);
  assert.deepEqual(headings(prompts[0]), [
    '## Kit: release',
    '## Kit: second',
    '## Kit: tdd_workflow',
    '## Advice on run_tests',
  ]);
  await rm(join(folder, 'kits/second.yaml'));
  assert.deepEqual((await server.post('/v1/reload', {})).body.skills.removed, ['kit second']);
  await writeFile(join(folder, 'kits/twin.yaml'), files['kits/release.yaml']);
  const { body: twice } = await server.post('/v1/reload', {});
  assert.match(
    twice.config.failures[0].message,
    /Two kits are named "release": kits\/release\.yaml:1 and kits\/twin\.yaml:1/,
  );
  assert.deepEqual(headings((await read('writer')).prompts[0]), ['## Kit: tdd_workflow', '## Advice on run_tests']);
});

test('two kits of one name, a missing folder and an unknown kit of an agent stop the start', async () => {
  const start = (config: RaviConfig, more: Readonly<Record<string, string>> = {}): Promise<TestServer> =>
    startServer(config, more, { isServer: true });
  await assert.rejects(start({ kits: ['./a', './b'] }, { 'a/x.yaml': kit, 'b/y.yaml': kit }), {
    code: 'E_CONFIG_INVALID',
    message: 'Two kits are named "release": a/x.yaml:1 and b/y.yaml:1; change one',
  });
  const missing = {
    code: 'E_CONFIG_INVALID',
    message: /^toolSkills\[0\]: The tool skill folder .*nowhere cannot be read/,
  };
  await assert.rejects(start({ toolSkills: ['./nowhere'] }), missing);
  await assert.rejects(start({ kits: ['ravi:kits', './none'] }), {
    message: /^kits\[1\]: The kit folder .*none cannot be read/,
  });
  await assert.rejects(start({ kits: ['./a'], agents: { clerk: { kits: ['tdd'] } } }, { 'a/x.yaml': kit }), {
    message: 'agents.clerk.kits[0]: there is no kit "tdd"; there are "release"',
  });
  await assert.rejects(start({ kits: ['./a'], agents: { clerk: { kits: ['releese'] } } }, { 'a/x.yaml': kit }), {
    code: 'E_CONFIG_INVALID',
    message: 'agents.clerk.kits[0]: there is no kit "releese"; did you mean "release"?',
  });
});
