import { accessSync, closeSync, constants, openSync } from 'node:fs';
import { join } from 'node:path';
import { isKernelError } from '@ravi/kernel';
import { fileError } from './path-error.ts';
import type { Workspace } from './workspace.ts';

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY, X_OK } = constants;

/** Folder in which a command starts. Dispose it when the command has started or ended. */
export interface WorkFolder extends Disposable {
  /** Path for starting a process. On Linux it is the open folder itself, so that a swapped link does not change it. */
  readonly path: string;
  /** Path from the root of the workspace, without links. */
  readonly name: string;
  /** Root of the workspace, an absolute path without links. */
  readonly root: string;
}

/**
 * Opens the folder of a command.
 * @throws KernelError `E_PATH_OUTSIDE`, `E_FILE_NOT_FOUND`, `E_FILE_KIND`, `E_FILE_FORBIDDEN`, `E_ARGUMENTS_INVALID`
 */
export function openWorkFolder(workspace: Workspace, path = '.'): WorkFolder {
  using place = workspace.locate(path);
  let handle: number | undefined;
  try {
    handle = openSync(place.at(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    // A folder that may be listed and not entered can be opened.
    accessSync(place.at(), X_OK);
  } catch (error) {
    if (handle !== undefined) closeSync(handle);
    throw fileError(path, error);
  }
  return {
    path: process.platform === 'linux' ? `/proc/self/fd/${handle}` : join(workspace.root, place.path),
    name: place.path,
    root: workspace.root,
    [Symbol.dispose]: () => closeSync(handle),
  };
}

/**
 * Checks before people are asked that a command may start in its folder. One that does not exist yet passes, because another call of the
 * same response may make it.
 * @throws KernelError as {@link openWorkFolder}, except `E_FILE_NOT_FOUND`
 */
export function checkWorkFolder(workspace: Workspace, path?: string): void {
  try {
    openWorkFolder(workspace, path)[Symbol.dispose]();
  } catch (error) {
    if (!isKernelError(error, 'E_FILE_NOT_FOUND')) throw error;
  }
}
