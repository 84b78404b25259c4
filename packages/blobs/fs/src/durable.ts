import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isSystemError, unlessMissing } from './errors.ts';
import { goneSuffix } from './layout.ts';

/** For the owner of the process alone. */
export const folderMode = 0o700;

/** For the owner of the process alone. */
export const fileMode = 0o600;

/**
 * Makes `folder` and what is missing above it, and waits until the medium has their names. Not by the recursive `mkdir`
 * of Node.js: on a read-only medium that says the folder is missing.
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

/** Creates the file `path` with `text` and waits until the medium has it. */
export async function writeDurably(path: string, text: string): Promise<void> {
  await using file = await open(path, 'wx', fileMode);
  await file.writeFile(text);
  await file.datasync();
}

/** Waits until the medium has the names in `folder`: a rename or a new file survives a loss of power only then. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows opens no folder as a file, and its file system journals names by itself.
  if (process.platform === 'win32') return;
  await using handle = await open(folder, 'r');
  await handle.sync();
}

/** A folder that is there already is as good. */
async function makeOne(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: folderMode });
  } catch (error) {
    if (isSystemError(error, 'EEXIST')) return;
    throw error;
  }
  await syncFolder(dirname(folder));
}

/** Removes the blob in `folder`; `false` when it is not there, or another process is quicker. */
export async function removeBlob(folder: string): Promise<boolean> {
  const gone = `${folder}${goneSuffix}`;
  const isRemoved = await unlessMissing(rename(folder, gone).then(() => true));
  if (isRemoved !== true) return false;
  await removeFolder(gone);
  return true;
}

/** Removes a folder with all in it, if it is there. */
export async function removeFolder(folder: string): Promise<void> {
  // A retry: the pin of another process may slip into the folder while it is being emptied.
  await rm(folder, { recursive: true, force: true, maxRetries: 2 });
}
