import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, mkdir, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFolderToolSource, loadFolderSkills } from '@ravi/capabilities';
import { test } from 'vitest';

async function createFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'ravi-special-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

async function createHugeFile(path: string): Promise<void> {
  await writeFile(path, '');
  await truncate(path, 1_000_000_000);
}

const isPosix = process.platform !== 'win32';

test.runIf(isPosix)('a pipe, a device and a huge file named SKILL.md are reported, and other skills load', async () => {
  await using folder = await createFolder();
  for (const name of ['pipe', 'device', 'folder', 'huge', 'fine']) await mkdir(join(folder.path, name));
  execFileSync('mkfifo', [join(folder.path, 'pipe/SKILL.md')]);
  await symlink('/dev/zero', join(folder.path, 'device/SKILL.md'));
  await mkdir(join(folder.path, 'folder/SKILL.md'));
  await createHugeFile(join(folder.path, 'huge/SKILL.md'));
  await writeFile(join(folder.path, 'fine/SKILL.md'), '---\nname: fine\ndescription: Works.\n---\nDo it.\n');
  const { skills, failures } = await loadFolderSkills(folder.path);
  assert.deepEqual(
    skills.map(({ name }) => name),
    ['fine'],
  );
  assert.deepEqual(failures, [
    { from: 'device/SKILL.md', message: 'is not a regular file' },
    { from: 'folder/SKILL.md', message: 'is not a regular file' },
    { from: 'huge/SKILL.md', message: 'is larger than 262144 bytes' },
    { from: 'pipe/SKILL.md', message: 'is not a regular file' },
  ]);
});

test.runIf(isPosix)(
  'a pipe, a device and a huge file in a tool folder are reported, and other tools load',
  async () => {
    await using folder = await createFolder();
    execFileSync('mkfifo', [join(folder.path, 'pipe.mjs')]);
    await symlink('/dev/zero', join(folder.path, 'device.mjs'));
    await createHugeFile(join(folder.path, 'huge.mjs'));
    const tool = `export default { name: 'fine', description: 'x', inputSchema: { type: 'object' }, execute() {} };`;
    await writeFile(join(folder.path, 'fine.mjs'), tool);
    const { signal } = new AbortController();
    await using source = await createFolderToolSource(folder.path).open({ signal, onChange() {} });
    const { tools, failures } = source.content();
    assert.deepEqual(
      tools.map(({ name }) => name),
      ['fine'],
    );
    assert.deepEqual(failures, [
      { from: 'device.mjs', message: 'is not a regular file' },
      { from: 'huge.mjs', message: 'is larger than 16777216 bytes' },
      { from: 'pipe.mjs', message: 'is not a regular file' },
    ]);
  },
);
