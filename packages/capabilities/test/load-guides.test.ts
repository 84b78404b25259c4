import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadKits, loadToolSkills, shippedKitsFolder } from '../src/index.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ravi-kits-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const kit = 'name: release\ngoal: Publish.\ntools: [run_tests]\nsteps: [Go]\n';

/** Problems of a file of a kit, with their lines. */
async function problemsOf(text: string): Promise<readonly string[]> {
  writeFileSync(join(folder, 'a.yaml'), text);
  const { kits, failures } = await loadKits(folder);
  expect(kits).toEqual([]);
  return failures.map(({ from, message }) => `${from}: ${message}`);
}

test('a kit is read with its lines, its texts without hidden characters, and a single text as a list', async () => {
  writeFileSync(
    join(folder, 'release.yml'),
    `# a comment
name: release
goal: >-
  Publish
  a version.
when_to_use: "Now\\u001b[31m."
tools:
  - run_tests
  - for: version control
    any: ['mcp:git/*', git_push]
steps: [Run, Tag]
version: 1.2.0
`,
  );
  const { kits, failures } = await loadKits(folder);
  expect(failures).toEqual([]);
  expect(kits).toEqual([
    {
      name: 'release',
      goal: 'Publish a version.',
      whenToUse: ['Now.'],
      needs: [
        { any: ['run_tests'], line: 8 },
        { any: ['mcp:git/*', 'git_push'], line: 9, purpose: 'version control' },
      ],
      steps: ['Run', 'Tag'],
      line: 2,
      version: '1.2.0',
      path: join(folder, 'release.yml'),
    },
  ]);
});

test('the kits of the package have no problems', async () => {
  const { kits, failures } = await loadKits(shippedKitsFolder());
  expect(failures).toEqual([]);
  expect(kits.map(({ name }) => name)).toEqual(['code_quality', 'debug_cycle', 'project_setup', 'tdd_workflow']);
});

test('aliases, tags, repeated keys, several documents and broken YAML are refused at their line', async () => {
  const bomb = `a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n`;
  expect(await problemsOf(bomb)).toEqual([
    'a.yaml:2: the alias "*a" is not allowed; write the value again',
    'a.yaml:2: the alias "*a" is not allowed; write the value again',
    'a.yaml:3: the alias "*b" is not allowed; write the value again',
    'a.yaml:3: the alias "*b" is not allowed; write the value again',
  ]);
  expect(await problemsOf(`${kit}tips: !!binary aGk=\n`)).toEqual([
    'a.yaml:5: the tag "tag:yaml.org,2002:binary" is not allowed',
  ]);
  expect(await problemsOf(`${kit}goal: Twice.\n`)).toEqual(['a.yaml:5: Map keys must be unique']);
  expect((await problemsOf(`${kit}---\n${kit}`))[0]).toMatch(/^a\.yaml:5: Source contains multiple documents/);
  expect((await problemsOf('name: [a\ngoal: b\n'))[0]).toMatch(/^a\.yaml:2: Flow sequence/);
  expect((await problemsOf(`a: ${'['.repeat(30_000)}`))[0]).toMatch(/^a\.yaml:1: /);
  expect(await problemsOf('')).toEqual(['a.yaml:1: a kit must be a mapping of fields']);
});

test('wrong types, missing and unknown fields are all reported, each at its line', async () => {
  const text = `name: Not A Name
goal: ''
tools:
  - 7
  - any: []
  - for: x
  - "no spaces allowed"
steps:
  - Write test: now
stepz: [a]
`;
  expect(await problemsOf(text)).toEqual([
    'a.yaml:1: "name" must be 1–64 lower-case letters, digits, hyphens and underscores, got "Not A Name"',
    'a.yaml:2: "goal" must be a text, got an empty text',
    'a.yaml:4: an entry of "tools" must be a text, got the number 7',
    'a.yaml:5: "any" is empty; write an entry, or remove the line',
    'a.yaml:6: an entry of "tools" needs "any"',
    'a.yaml:7: The tool pattern "no spaces allowed" matches no tool: write a name, a name with * such as "git.*", or "mcp:server/*"',
    'a.yaml:9: an entry of "steps" must be a text, got a mapping; quote a text that has a colon',
    'a.yaml:10: a kit has an unknown field "stepz"; did you mean steps?',
  ]);
});

test('long texts, long lists, huge files and folders are refused, and hide no other kit', async () => {
  writeFileSync(join(folder, 'good.yaml'), kit);
  writeFileSync(join(folder, 'huge.yaml'), `${kit}# ${'x'.repeat(33_000)}`);
  writeFileSync(join(folder, 'list.yaml'), kit.replace('[Go]', `[${'Go, '.repeat(51)}]`));
  writeFileSync(join(folder, 'long.yaml'), kit.replace('Publish.', 'x'.repeat(2_001)));
  mkdirSync(join(folder, 'odd.yaml'));
  const { kits, failures } = await loadKits(folder);
  expect(kits.map(({ name }) => name)).toEqual(['release']);
  expect(failures.map(({ from, message }) => ({ from, message }))).toEqual([
    { from: 'huge.yaml', message: 'is larger than 32768 bytes' },
    { from: 'list.yaml:4', message: '"steps" has 51 entries; at most 50 are allowed' },
    { from: 'long.yaml:2', message: '"goal" has 2001 characters; at most 2000 are allowed' },
    { from: 'odd.yaml', message: 'is not a regular file' },
  ]);
  await expect(loadKits(join(folder, 'missing'))).rejects.toMatchObject({ code: 'E_CONFIG_INVALID' });
});

test('a tool skill has a tool and some advice, and its examples are texts or calls', async () => {
  const advice = `tool: run_tests
examples:
  - Run everything
  - task: Run one
    args: { path: a.ts, deep: [1, { x: null }] }
`;
  writeFileSync(join(folder, 'a.yaml'), advice);
  writeFileSync(join(folder, 'b.yaml'), 'tool: lint\n');
  writeFileSync(join(folder, 'c.yaml'), 'tool: lint\nexamples:\n  - args: 7\n');
  const { toolSkills, failures } = await loadToolSkills(folder);
  expect(toolSkills).toMatchObject([
    {
      tool: 'run_tests',
      line: 1,
      examples: [{ text: 'Run everything' }, { text: 'Run one', args: '{"path":"a.ts","deep":[1,{"x":null}]}' }],
    },
  ]);
  expect(failures.map(({ from, message }) => `${from}: ${message}`)).toEqual([
    'b.yaml:1: a tool skill needs one of when_to_use, when_not_to_use, examples and tips',
    'c.yaml:3: an example needs "task"',
    'c.yaml:3: "args" must be a mapping, got the number 7',
  ]);
});
