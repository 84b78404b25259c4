import { constants, realpathSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { resolve } from 'node:path';
import { KernelError } from '@ravi/kernel';
import type { ToolContext } from '@ravi/kernel';
import { fileError, show } from './path-error.ts';
import { readPath } from './read-path.ts';
import { walk } from './walk.ts';
import type { Place, WalkOptions } from './walk.ts';

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

/**
 * Folder whose files tools may use. Paths of callers are relative to it. Links inside it are followed while they stay inside. On Linux this
 * holds against other processes that swap folders and links at the same time; on other systems it holds against a still file tree.
 */
export interface Workspace {
  /** Absolute path of the folder without links. Never part of a message to a model. */
  readonly root: string;
  /**
   * Returns the place of an entry, which may not exist. Dispose it after use.
   * @throws KernelError `E_PATH_OUTSIDE`, `E_ARGUMENTS_INVALID`, `E_FILE_NOT_FOUND` (a folder on the way is missing), `E_FILE_KIND`, `E_FILE_FORBIDDEN`
   */
  locate(path: string, options?: WalkOptions): Place;
  /**
   * Opens a regular file for reading. Close the handle after use.
   * @throws KernelError as {@link Workspace.locate}, and `E_FILE_KIND` for a folder, device, socket or pipe
   */
  openFile(path: string): Promise<FileHandle>;
  /** Runs `work` while no other work on the same place runs in this process. Names that differ only in case share a lock. */
  withLock<Result>(place: Place, work: () => Promise<Result>): Promise<Result>;
}

/** @throws KernelError `E_CONFIG_INVALID` if `folder` is not a folder */
export function openWorkspace(folder: string): Workspace {
  const root = realFolder(folder);
  const locate = (path: string, options?: WalkOptions): Place => walk(root, readPath(path, root), path, options);
  return {
    root,
    locate,
    async openFile(path) {
      using place = locate(path);
      // Awaited, because the place is closed at the end of this block.
      return await openRegular(place, path);
    },
    // On a file system that ignores case, both names are one file.
    withLock: (place, work) => withPathLock(`${root}\0${place.path.normalize('NFC').toLowerCase()}`, work),
  };
}

function realFolder(folder: string): string {
  if (!isFolder(folder)) {
    throw new KernelError('E_CONFIG_INVALID', `The folder ${show(folder)} does not exist, or is not a folder`);
  }
  return realpathSync(folder);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/**
 * Returns the absolute path of a folder that an option names.
 * @param key name of the option, for the message
 * @param folder relative to `baseDir`
 * @throws KernelError `E_CONFIG_INVALID` that names the key if there is no such folder
 */
export function configuredFolder(key: string, folder: string, baseDir: string): string {
  const path = resolve(baseDir, folder);
  if (isFolder(path)) return path;
  throw new KernelError('E_CONFIG_INVALID', `${key}: the folder ${show(folder)} does not exist, or is not a folder`);
}

async function openRegular(place: Place, path: string): Promise<FileHandle> {
  let handle: FileHandle;
  try {
    // Without O_NONBLOCK a pipe would block a thread until another program writes to it.
    handle = await open(place.at(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    throw fileError(path, error);
  }
  const stats = await handle.stat();
  if (stats.isFile()) return handle;
  await handle.close();
  throw new KernelError('E_FILE_KIND', `${show(path)} is ${stats.isDirectory() ? 'a folder' : 'not a regular file'}`);
}

const tails = new Map<string, Promise<void>>();

/**
 * Runs `work` while no other work of this process runs with the same key. Work waits in the order of its calls.
 * The key of a file is its path without links, so that two names of one file share a lock.
 */
export async function withPathLock<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
  const before = tails.get(key);
  let release = (): void => {};
  const promise = new Promise<void>((resolve) => {
    release = resolve;
  });
  tails.set(key, promise);
  try {
    await before;
    return await work();
  } finally {
    if (tails.get(key) === promise) tails.delete(key);
    release();
  }
}

/** Options of {@link workspaceOfCall}. */
export interface WorkspaceOptions {
  /** Folder of all calls, relative to `baseDir`. Default: the workspace of the agent; without one a call fails. */
  readonly root?: string | undefined;
  /** Folder of the configuration file. */
  readonly baseDir: string;
}

/**
 * Returns a function that finds the workspace of a call: the configured folder, or the folder in which the run works.
 * @throws KernelError `E_CONFIG_INVALID` if the configured folder does not exist. The function throws `E_UNSUPPORTED` for a call of a run
 * without a folder, and `E_CONFIG_INVALID` if that folder is gone
 */
export function workspaceOfCall({ root, baseDir }: WorkspaceOptions): (context: Pick<ToolContext, 'cwd'>) => Workspace {
  if (root !== undefined) {
    const workspace = openWorkspace(configuredFolder('root', root, baseDir));
    return () => workspace;
  }
  const opened = new Map<string, Workspace>();
  return ({ cwd }) => {
    if (cwd === undefined) {
      throw new KernelError(
        'E_UNSUPPORTED',
        'This run has no folder to work in. Set "root" of this tool source, or a workspace of the agent',
      );
    }
    const found = opened.get(cwd) ?? openRunFolder(cwd);
    opened.set(cwd, found);
    return found;
  };
}

// A model reads this message, so it has no path of the host.
function openRunFolder(cwd: string): Workspace {
  if (isFolder(cwd)) return openWorkspace(cwd);
  throw new KernelError('E_CONFIG_INVALID', 'The folder in which this run works does not exist, or is not a folder');
}
