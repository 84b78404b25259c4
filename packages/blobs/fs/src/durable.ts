import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';

/** For the owner of the process alone. */
export const folderMode = 0o700;

/** For the owner of the process alone. */
export const fileMode = 0o600;

/** Makes `folder` and what is missing above it, and waits until the medium has their names. */
export async function makeFolderDurably(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: folderMode });
  if (first === undefined) return;
  for (let made = folder; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made));
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
