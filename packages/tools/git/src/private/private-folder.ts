import { createHash } from 'node:crypto';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { lstat, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KernelError } from '@ravi/kernel';
import { configuredFolder, isRunning, processName, processPlace } from '@ravi/tools-kit';
import { isInside } from './data-folder.ts';

/** Other machines and containers may have the same folder for temporary files. */
const prefix = `ravi-git-${createHash('sha256').update(processPlace).digest('hex').slice(0, 16)}-`;

/** Folder that only the user of the server can enter. Its content is removed when it is disposed. */
export interface PrivateFolder extends Disposable {
  /** Absolute path without links. */
  readonly path: string;
}

/**
 * Returns the folder in which private folders are made: by default that for temporary files.
 * @throws KernelError `E_CONFIG_INVALID` if it is not a folder
 */
export function privateParentOf(privateFolder: string | undefined, baseDir: string): string {
  return realpathSync(configuredFolder('privateFolder', privateFolder ?? tmpdir(), baseDir));
}

/**
 * Makes a private folder in `parent`, which is outside of the workspace.
 * @throws KernelError `E_CONFIG_INVALID` if `parent` is in the workspace, where other programs could change the content
 */
export function makePrivateFolder(parent: string, workspaceRoot: string): PrivateFolder {
  if (isInside(workspaceRoot, parent)) {
    throw new KernelError(
      'E_CONFIG_INVALID',
      'The folder for private copies of repositories is in the workspace. Set "privateFolder" of this tool source to a folder outside of it',
      { hadNoEffect: true },
    );
  }
  const path = mkdtempSync(join(parent, `${prefix}${processName}-`));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/**
 * Removes the private folders that processes of this machine left in `parent` when they were killed, and returns their number. Folders of other
 * users stay, and so do all that cannot be listed or removed.
 */
export async function removeLeftFolders(parent: string): Promise<number> {
  let count = 0;
  for (const name of await readdir(parent).catch(() => [])) {
    const owner = name.startsWith(prefix) ? /^(\d+\.\d*)-\w+$/.exec(name.slice(prefix.length))?.[1] : undefined;
    if (owner === undefined || isRunning(owner) || !(await isOwnFolder(join(parent, name)))) continue;
    const isRemoved = await rm(join(parent, name), { recursive: true, force: true }).then(
      () => true,
      () => false,
    );
    if (isRemoved) count += 1;
  }
  return count;
}

/** True for a folder that no other user can have made or changed, so that removing it follows no link of theirs. */
async function isOwnFolder(path: string): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  if (stats?.isDirectory() !== true) return false;
  return process.getuid === undefined || (stats.uid === process.getuid() && (stats.mode & 0o77) === 0);
}
