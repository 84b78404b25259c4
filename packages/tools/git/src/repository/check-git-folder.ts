import type { Dirent } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { isAbsolute, join, relative } from 'node:path';
import { KernelError } from '@ravi/kernel';
import { fileError } from '@ravi/tools-kit';

const maxEntries = 200_000;
const isFanOut = /^[0-9a-f]{2}$/;

/** Returns the error of a repository that would lead out of the workspace, or start a program. */
export function untrusted(reason: string): KernelError {
  return new KernelError('E_GIT_UNTRUSTED', `The repository is not used: ${reason}`, { hadNoEffect: true });
}

/** True for a path at or below `root`. Both are absolute. */
export function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === '' || (way !== '..' && !way.startsWith('../') && !isAbsolute(way));
}

/**
 * Checks the folder in which a repository keeps its data. git writes through links there, for example its logs, and it reads the objects of
 * other folders that are named there.
 * @throws KernelError `E_FILE_FORBIDDEN`, `E_GIT_UNTRUSTED` for a link, a device, a pipe, more than 200 000 entries, or objects in another folder
 */
export async function checkGitFolder(folder: string): Promise<void> {
  const open = [folder];
  let entries = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const entry of await listed(next, join('.git', relative(folder, next)))) {
      entries += 1;
      if (entries > maxEntries)
        throw untrusted(`it has more than ${maxEntries} refs and other files; run "git pack-refs"`);
      const shown = relative(folder, join(next, entry.name));
      if (entry.isSymbolicLink()) throw untrusted(`"${shown}" of its data is a link`);
      if (!entry.isFile() && !entry.isDirectory()) throw untrusted(`"${shown}" of its data is not a file`);
      // Objects are checked by their digest, and there may be millions.
      const isObjects = next === join(folder, 'objects') && isFanOut.test(entry.name);
      if (entry.isDirectory() && !isObjects) open.push(join(next, entry.name));
    }
  }
  if (await hasAlternates(folder)) throw untrusted('it takes objects from another folder (objects/info/alternates)');
}

async function hasAlternates(folder: string): Promise<boolean> {
  const text = await readFile(join(folder, 'objects/info/alternates'), 'utf8').catch(() => '');
  return text.trim() !== '';
}

async function listed(folder: string, shown: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    // A lock file or a ref that has just been removed.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw fileError(shown, error);
  }
}
