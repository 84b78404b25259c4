import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadFolderSkills } from '../../src/index.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ravi-skills-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(name: string, text: string): void {
  mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, name, 'SKILL.md'), text);
}

async function problemOf(name: string, text: string): Promise<string | undefined> {
  write(name, text);
  const { skills, failures } = await loadFolderSkills(folder);
  expect(skills).toEqual([]);
  expect(failures.map((failure) => failure.from)).toEqual([`${name}/SKILL.md`]);
  return failures[0]?.message;
}

test('skills are read sorted by name, with all fields of the format', async () => {
  write(
    'pdf-tools',
    `---
name: pdf-tools
description: >-
  Fills in forms.
  Use it for PDFs.
license: MIT
compatibility: needs poppler
metadata:
  author: ada
  version: "2.1"
allowed-tools: read_file Bash(git add:*) write_file
---

# PDF

Look twice.
`,
  );
  write('a11y', '---\r\nname: a11y\r\ndescription: Checks pages.\r\n---\r\nLook once.\r\n');
  mkdirSync(join(folder, 'no-skill'));
  mkdirSync(join(folder, '.git'));
  const { skills, failures } = await loadFolderSkills(folder);
  expect(failures).toEqual([]);
  expect(skills).toEqual([
    {
      name: 'a11y',
      description: 'Checks pages.',
      instructions: 'Look once.',
      version: '1.0.0',
      path: join(folder, 'a11y'),
    },
    {
      name: 'pdf-tools',
      description: 'Fills in forms. Use it for PDFs.',
      instructions: '# PDF\n\nLook twice.',
      version: '2.1',
      allowedTools: ['read_file', 'Bash(git add:*)', 'write_file'],
      path: join(folder, 'pdf-tools'),
    },
  ]);
});

test('a colon in a plain description, a list of tools and an empty body are accepted', async () => {
  write('odd', '---\nname: odd\ndescription: Use when: something is odd\nallowed-tools:\n  - look\n---');
  const { skills } = await loadFolderSkills(folder);
  expect(skills[0]).toMatchObject({
    description: 'Use when: something is odd',
    allowedTools: ['look'],
    instructions: '',
  });
});

test('an empty allowed-tools allows nothing, an absent one restricts nothing', async () => {
  write('closed', '---\nname: closed\ndescription: x\nallowed-tools: ""\n---\n');
  write('open', '---\nname: open\ndescription: x\n---\n');
  const { skills } = await loadFolderSkills(folder);
  expect(skills.map((skill) => skill.allowedTools)).toEqual([[], undefined]);
});

test.each([
  ['an unbalanced bracket', 'Bash(git:*', '"Bash(git:*"'],
  ['an unbalanced bracket before others', 'Bash(git:* Read Write', '"Bash(git:* Read Write"'],
  ['an unbalanced bracket in quotes', '"Bash(rm -rf:*"', '"Bash(rm -rf:*"'],
  ['a bracket too many', 'Bash(git:*)) Read', '"Bash(git:*))"'],
  ['a closing bracket alone', 'Read ) Bash', '")"'],
  ['brackets in the wrong order', 'Bash)git( Read', '"Bash)git("'],
  ['a pattern apart from its name', 'Bash (git:*) Read', '"(git:*)"'],
  ['a pattern apart from its name in a list', '["Bash (git:*)"]', '"Bash (git:*)"'],
  ['a name directly after a pattern', 'Bash(git:*)Read', '"Bash(git:*)Read"'],
  ['a pattern that a list cuts in two', '[Bash(git:*, push), Read]', '"Bash(git:*"'],
  ['two names in one entry of a list', '[Read Write]', '"Read Write"'],
  ['no value', '', 'has an empty allowed-tools'],
  ['an entry of any length', `${'('.repeat(500)}`, `"${'('.repeat(100)}"`],
  ['a comment for a value', '# Read', 'has an empty allowed-tools'],
  ['null', '~', 'has an empty allowed-tools'],
  ['a list with an entry that is not text', '[Read, 1]', 'neither a string nor a list of strings'],
])('an allowed-tools with %s is a problem of its skill', async (_, value, problem) => {
  const told = await problemOf('skill', `---\nname: skill\ndescription: x\nallowed-tools: ${value}\n---\n`);
  expect(told).toContain('allowed-tools');
  expect(told).toContain(problem);
});

test('a pattern may have spaces, commas and brackets of its own', async () => {
  write('deep', '---\nname: deep\ndescription: x\nallowed-tools: Read, Bash(git (x, y):*) Edit(a),Write\n---\n');
  const { skills } = await loadFolderSkills(folder);
  expect(skills[0]?.allowedTools).toEqual(['Read', 'Bash(git (x, y):*)', 'Edit(a)', 'Write']);
});

test('a bad skill is reported by name, and the others load', async () => {
  write('good', '---\nname: good\ndescription: x\n---\n');
  write('bad', 'no front matter');
  const { skills, failures } = await loadFolderSkills(folder);
  expect(skills.map((skill) => skill.name)).toEqual(['good']);
  expect(failures).toEqual([{ from: 'bad/SKILL.md', message: 'does not begin with YAML between two lines of ---' }]);
});

test.each([
  ['another name', '---\nname: other\ndescription: x\n---\n', 'must be the same'],
  ['no name', '---\ndescription: x\n---\n', 'lower-case letters'],
  ['capital letters', '---\nname: Skill\ndescription: x\n---\n', 'lower-case letters'],
  ['two hyphens', '---\nname: a--b\ndescription: x\n---\n', 'lower-case letters'],
  ['no description', '---\nname: skill\n---\n', 'no description'],
  ['a long description', `---\nname: skill\ndescription: ${'x'.repeat(1_025)}\n---\n`, '1025 characters'],
  ['tools that are not names', '---\nname: skill\ndescription: x\nallowed-tools: { a: 1 }\n---\n', 'allowed-tools'],
  ['invalid YAML', '---\nname: [skill\n---\n', 'YAML that cannot be read'],
  ['aliases', '---\nname: skill\ndescription: &a x\nlicense: *a\n---\n', 'YAML that cannot be read'],
  ['too much', `---\nname: skill\ndescription: x\n---\n${'x'.repeat(262_144)}`, 'larger than 262144 bytes'],
])('%s is refused', async (_, text, problem) => {
  expect(await problemOf('skill', text)).toContain(problem);
});

test('YAML of more than 16,384 characters is not read: the time for it grows with the square of its size', async () => {
  const skill = (keys: string): string => `---\nname: long\ndescription: Waits.\n${keys}\n---\nBody\n`;
  const most = 'x'.repeat(16_384 - 'name: long\ndescription: Waits.\n# '.length);
  assert.match((await problemOf('long', skill(`# x${most}`))) ?? '', /has 16385 characters of YAML; at most 16384/);
  const anchors = `metadata: ${'&a '.repeat(80_000)}`;
  assert.match((await problemOf('long', skill(anchors))) ?? '', /characters of YAML; at most 16384/);
  write('long', skill(`# ${most}`));
  assert.deepEqual((await loadFolderSkills(folder)).failures, []);
});

test('a folder that cannot be read and a cancellation are errors', async () => {
  await expect(loadFolderSkills(join(folder, 'nowhere'))).rejects.toMatchObject({ code: 'E_CONFIG_INVALID' });
  write('good', '---\nname: good\ndescription: x\n---\n');
  const signal = AbortSignal.abort();
  await expect(loadFolderSkills(folder, { signal })).rejects.toMatchObject({ code: 'E_CANCELLED' });
});
