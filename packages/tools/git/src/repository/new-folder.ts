import { lstat, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isKernelError, KernelError } from '@ravi/kernel';
import { fileError } from '@ravi/tools-kit';
import type { Workspace } from '@ravi/tools-kit';

/** Folder for a new repository. */
export interface NewFolder {
  /** Absolute path without links. */
  readonly path: string;
  /** Path in the workspace. */
  readonly shown: string;
}

/** Checks before people are asked that a folder is in the workspace; it may be missing. @throws KernelError of `Workspace.locate` */
export function checkNewFolder(workspace: Workspace, folder: string): void {
  try {
    workspace.locate(folder)[Symbol.dispose]();
  } catch (error) {
    if (!isKernelError(error, 'E_FILE_NOT_FOUND')) throw error;
  }
}

/**
 * Makes a folder of the workspace, and those above it, if it is missing.
 * @throws KernelError `E_FILE_KIND` for a file, `E_FILE_FORBIDDEN`, and those of `Workspace.locate`
 */
export async function newFolder(workspace: Workspace, folder: string): Promise<NewFolder> {
  using place = workspace.locate(folder, { createFolders: true });
  if (place.path === '.') return { path: workspace.root, shown: '.' };
  await mkdir(place.at()).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw fileError(folder, error);
  });
  const stats = await lstat(place.at());
  if (!stats.isDirectory()) {
    throw new KernelError('E_FILE_KIND', `${JSON.stringify(folder)} is not a folder`, { hadNoEffect: true });
  }
  return { path: join(workspace.root, place.path), shown: place.path };
}
