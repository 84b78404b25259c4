import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Workspace } from '@ravi/tools-kit';
import { readIgnoreRules } from './ignore-rules.ts';
import type { IgnoreRules } from './ignore-rules.ts';

const maxIgnoreBytes = 1_048_576;

/**
 * Returns the rules of each `.gitignore` above a folder, the outermost first. Those above the root of the workspace count too, because
 * the root is often a folder of a repository.
 */
export function readRulesAbove(workspace: Workspace, start: string): readonly IgnoreRules[] {
  const rules: IgnoreRules[] = [];
  for (const folder of foldersAbove(workspace, start)) {
    const text = orEmpty(() => readFile(join(folder, '.gitignore')));
    if (text === '') continue;
    const inside = relative(workspace.root, folder);
    if (inside === '') rules.push(readIgnoreRules(text, ''));
    else if (inside.startsWith('..')) rules.push(readIgnoreRules(text, '', `${relative(folder, workspace.root)}/`));
    else rules.push(readIgnoreRules(text, `${inside}/`));
  }
  return rules.toReversed();
}

/** Returns true if a folder above `start` may have a `.gitignore`: also one that cannot be looked at. */
export function mayHaveRulesAbove(workspace: Workspace, start: string): boolean {
  return foldersAbove(workspace, start).some((folder) => {
    try {
      return lstatSync(join(folder, '.gitignore'), { throwIfNoEntry: false }) !== undefined;
    } catch {
      return true;
    }
  });
}

/** Returns the rules of the `.gitignore` in a folder of the workspace; none if it is absent, is a link or cannot be read. */
export function readRulesIn(workspace: Workspace, folder: string): IgnoreRules {
  const prefix = folder === '.' ? '' : `${folder}/`;
  const text = orEmpty(() => {
    using place = workspace.locate(`${prefix}.gitignore`);
    return readFile(place.at());
  });
  return readIgnoreRules(text, prefix);
}

function foldersAbove({ root }: Workspace, start: string): readonly string[] {
  const folders: string[] = [];
  for (let folder = join(root, start); dirname(folder) !== folder; folder = dirname(folder)) {
    folders.push(dirname(folder));
  }
  return folders;
}

// At most 1 MiB of the file, and never through a link.
function readFile(path: string): string {
  const handle = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const buffer = Buffer.alloc(Math.min(fstatSync(handle).size, maxIgnoreBytes));
    return buffer.toString('utf8', 0, readSync(handle, buffer));
  } finally {
    closeSync(handle);
  }
}

function orEmpty(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
