import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GitFolder } from './git-folder.ts';

/** Arguments of git that list all refs with what they lead to. */
export const listRefs = ['for-each-ref', '--format=%(refname) %(objectname) %(*objectname) %(symref)'] as const;

/** Makes a hook of a repository, a script of the shell. */
export function writeHook({ root }: GitFolder, name: string, script: string): void {
  const folder = join(root, '.git/hooks');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, name), 0o755);
}

/** Returns the paths of the files below a folder, relative to it. */
export function filesBelow(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1)).toSorted();
}

/** Returns the files of the repository that git would not have left. */
export function leftovers({ root }: GitFolder): readonly string[] {
  return filesBelow(join(root, '.git')).filter((file) => file.endsWith('.lock') || file.startsWith('objects/tmp'));
}
