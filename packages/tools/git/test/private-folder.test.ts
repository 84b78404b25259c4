import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { makePrivateFolder, removeLeftFolders } from '../src/private/private-folder.ts';
import { createGitFolder } from './support/git-folder.ts';

const module = new URL('../src/private/private-folder.ts', import.meta.url).href;

/** Makes a private folder in a process that is killed, and returns its name. */
function leaveFolder(parent: string): string {
  const script = `
    import { mkdirSync, writeFileSync, writeSync } from 'node:fs';
    const { makePrivateFolder } = await import(${JSON.stringify(module)});
    const { path } = makePrivateFolder(${JSON.stringify(parent)}, '/workspace');
    mkdirSync(path + '/data');
    writeFileSync(path + '/data/HEAD', 'ref: refs/heads/main');
    writeSync(1, path);
    process.kill(process.pid, 'SIGKILL');`;
  const args = ['--input-type=module', '--eval', script];
  const { stdout, signal } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(signal).toBe('SIGKILL');
  return basename(stdout);
}

test('private folders of a killed server are removed when the next one starts', async () => {
  await using outer = await createGitFolder();
  const parent = join(outer.base, 'private');
  mkdirSync(parent);
  const left = leaveFolder(parent);
  using own = makePrivateFolder(parent, outer.root);
  // Of another machine, and of another program.
  const others = [left.replace(/^ravi-git-[\da-f]{4}/, 'ravi-git-zzzz'), 'ravi-git-1.2-abcdef', 'notes'];
  for (const name of others) mkdirSync(join(parent, name));
  expect(readdirSync(parent)).toContain(left);
  await using folder = await createGitFolder({ privateFolder: parent });
  expect(readdirSync(parent).toSorted()).toEqual([...others, basename(own.path)].toSorted());
  expect(await folder.code('git_status')).toBe('ok');
});

test('a folder that other users can change is left alone', async () => {
  await using outer = await createGitFolder();
  const parent = join(outer.base, 'private');
  mkdirSync(parent);
  const [removed, shared] = [leaveFolder(parent), leaveFolder(parent)];
  chmodSync(join(parent, shared), 0o770);
  expect(await removeLeftFolders(parent)).toBe(1);
  expect(readdirSync(parent)).toEqual([shared]);
  expect(removed).not.toBe(shared);
  expect(await removeLeftFolders(join(parent, 'missing'))).toBe(0);
});
