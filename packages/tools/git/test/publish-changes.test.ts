import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openWorkspace } from '@ravi/tools-kit';
import { expect, test } from 'vitest';
import { currentState } from '../src/private/data-files.ts';
import type { DataChange } from '../src/private/find-changes.ts';
import { publishChanges } from '../src/private/publish-changes.ts';
import { createGitFolder } from './support/git-folder.ts';
import { leftovers, listRefs, writeHook } from './support/repository-files.ts';

for (const [from, to] of [
  ['topic', 'topic/inner'],
  ['topic/inner', 'topic'],
] as const) {
  test(`a rename of ${from} to ${to} that another program stops with a lock loses no branch`, async () => {
    await using folder = await createGitFolder({ hooks: true });
    folder.git('switch', '--quiet', '--create', from);
    const before = folder.git(...listRefs);
    const stop = join(folder.root, '.git/HEAD.lock');
    writeHook(folder, 'reference-transaction', `: > '${stop}'`);
    expect(await folder.code('git_branch', { action: 'rename', name: from, newName: to })).toBe('E_GIT_LOCKED');
    expect(existsSync(stop)).toBe(true);
    expect(folder.git(...listRefs)).toBe(before);
    expect(folder.git('log', '--walk-reflogs', '--format=%gs', from, '--')).not.toBe('');
  });

  test(`a branch ${from} is written back if ${to} cannot be made in its place`, async () => {
    await using folder = await createGitFolder();
    folder.git('branch', from);
    const before = folder.git(...listRefs);
    const data = { workspace: openWorkspace(folder.root), path: '.git' };
    const source = join(folder.base, 'new-ref');
    writeFileSync(source, folder.git('rev-parse', 'main'));
    const change = { source, original: undefined, bytes: 0 };
    const renamed = (): readonly DataChange[] => [
      { ...change, kind: 'write', path: `refs/heads/${to}` },
      { ...change, kind: 'remove', path: `refs/heads/${from}`, original: currentState(data, `refs/heads/${from}`) },
    ];
    // A folder is not a log, so this step fails. It comes when the old ref is gone and the new one is locked.
    const failing = { ...change, kind: 'append', path: 'logs/refs/heads' } as const;
    await expect(publishChanges(data, [failing, ...renamed()])).rejects.toMatchObject({ code: 'E_FILE_KIND' });
    expect(folder.git(...listRefs)).toBe(before);
    expect(leftovers(folder)).toEqual([]);
    await publishChanges(data, renamed());
    expect(folder.git('branch', '--format=%(refname:short)').trim().split('\n')).toEqual(['main', to]);
    expect(folder.git('rev-parse', to)).toBe(folder.git('rev-parse', 'main'));
  });
}
