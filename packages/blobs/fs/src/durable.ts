import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isSystemError, unlessMissing } from './errors.ts';
import { goneSuffix } from './layout.ts';

/** Mode of folders: access for the user that runs the process, and for no one else. */
export const folderMode = 0o700;

/** Mode of files: access for the user that runs the process, and for no one else. */
export const fileMode = 0o600;

/**
 * Creates `folder` and its missing parents, and waits until their names are on disk. It does not use the recursive
 * `mkdir` of Node.js, which reports a missing folder (`ENOENT`) on a read-only file system.
 */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await makeOne(folder);
  } catch (error) {
    if (!isSystemError(error, 'ENOENT')) throw error;
    await makeFolder(dirname(folder));
    await makeOne(folder);
  }
}

/** Creates the file `path` with `text` and waits until it is on disk. */
export async function writeDurably(path: string, text: string): Promise<void> {
  await using file = await open(path, 'wx', fileMode);
  await file.writeFile(text);
  await file.datasync();
}

/** Waits until the names in `folder` are on disk. Only then does a rename or a new file survive a power failure. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open a folder as a file, and its file system journals names anyway.
  if (process.platform === 'win32') return;
  await using handle = await open(folder, 'r');
  await handle.sync();
}

/** Creates one folder; an existing one is fine. */
async function makeOne(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: folderMode });
  } catch (error) {
    if (isSystemError(error, 'EEXIST')) return;
    throw error;
  }
  await syncFolder(dirname(folder));
}

/** Removes the blob in `folder`. Returns `false` if it is missing or another process removed it first. */
export async function removeBlob(folder: string): Promise<boolean> {
  const gone = `${folder}${goneSuffix}`;
  const isRemoved = await unlessMissing(rename(folder, gone).then(() => true));
  if (isRemoved !== true) return false;
  await removeFolder(gone);
  return true;
}

/** Removes a folder and its content, if it exists. */
export async function removeFolder(folder: string): Promise<void> {
  // Retried, because another process may add a pin while the folder is being emptied.
  await rm(folder, { recursive: true, force: true, maxRetries: 2 });
}
