import type { Stats } from 'node:fs';
import { lstat, readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { fileError } from '@ravi/tools-kit';
import type { Workspace } from '@ravi/tools-kit';
import { isInside } from '../private/data-folder.ts';
import { noRepository, untrusted } from '../run/git-error.ts';

const maxPointerBytes = 4096;

/** Folders of a repository, as absolute paths without links. */
export interface RepositoryFolders {
  /** Top of its files. */
  readonly top: string;
  /** Data of this work tree: `HEAD`, index. */
  readonly gitFolder: string;
  /** Data that all work trees of the repository share: configuration, refs, objects. */
  readonly commonFolder: string;
}

/**
 * Finds the repository of a folder: in it, or in a folder above it up to the workspace. git itself does not search, so that it never finds one
 * outside of the workspace, and none that poses as a file of another.
 * @throws KernelError `E_GIT_NO_REPOSITORY`, `E_GIT_UNTRUSTED`, `E_FILE_FORBIDDEN`, and those of `Workspace.locate`
 */
export async function findRepository(workspace: Workspace, path: string): Promise<RepositoryFolders> {
  const { root } = workspace;
  const start = realPath(workspace, path);
  const stats = await lstat(start).catch(() => undefined);
  if (stats?.isDirectory() !== true) throw noRepository(path);
  for (let top = start; isInside(root, top); top = dirname(top)) {
    const entry = await entryOf(join(top, '.git'), path);
    if (entry !== undefined) return await foldersOf(workspace, top, entry.isFile(), entry.isDirectory());
  }
  throw noRepository(path);
}

async function foldersOf(
  workspace: Workspace,
  top: string,
  isFile: boolean,
  isFolder: boolean,
): Promise<RepositoryFolders> {
  const { root } = workspace;
  if (!isFile && !isFolder) throw untrusted('its ".git" is a link');
  const pointed = isFile ? await readPointer(join(top, '.git'), 'gitdir: ') : undefined;
  const gitFolder = pointed === undefined ? join(top, '.git') : inside(workspace, resolve(top, pointed));
  const shared = await readPointer(join(gitFolder, 'commondir'), '');
  const commonFolder = shared === undefined ? gitFolder : inside(workspace, resolve(gitFolder, shared));
  // Data of a work tree that is elsewhere would not be found by the commands for branches.
  if (!isDataOf(commonFolder, gitFolder)) throw untrusted('its data is not where git keeps that of a work tree');
  const isComplete = await entryOf(join(commonFolder, 'objects'), '.git');
  if (isComplete === undefined) throw noRepository(relative(root, top) || '.');
  return { top, gitFolder, commonFolder };
}

function isDataOf(commonFolder: string, gitFolder: string): boolean {
  return gitFolder === commonFolder || /^worktrees\/[^/]+$/.test(relative(commonFolder, gitFolder));
}

// A folder that may not be searched could have a repository.
async function entryOf(entry: string, shown: string): Promise<Stats | undefined> {
  try {
    return await lstat(entry);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw fileError(shown, error);
  }
}

/** Returns the path in a file that points to a folder; `undefined` if the file does not exist or has another form. */
async function readPointer(path: string, prefix: string): Promise<string | undefined> {
  const stats = await lstat(path).catch(() => undefined);
  if (stats?.isFile() !== true) return undefined;
  if (stats.size > maxPointerBytes) throw untrusted('the file that points to its data is too large');
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw fileError('.git', error);
  });
  return text.startsWith(prefix) ? text.slice(prefix.length).trimEnd() : undefined;
}

function inside(workspace: Workspace, folder: string): string {
  if (!isInside(workspace.root, folder)) throw untrusted('its data is outside of the workspace');
  return realPath(workspace, folder);
}

function realPath(workspace: Workspace, path: string): string {
  using place = workspace.locate(path);
  return place.path === '.' ? workspace.root : join(workspace.root, place.path);
}
