import { constants, renameSync, symlinkSync } from 'node:fs';
import { copyFile, lstat, mkdir, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { KernelError } from '@ravi/kernel';
import { fileError } from '@ravi/tools-kit';
import type { Workspace } from '@ravi/tools-kit';

/**
 * Moves the entries of a private folder into a folder of the workspace, the data of a repository last. On another file system they are copied:
 * each folder is opened by its handle, and no entry of another program is followed or replaced.
 * @throws KernelError `E_FILE_EXISTS` for an entry that the folder has already, `E_FILE_FORBIDDEN`, `E_FILE_NO_SPACE`, `E_CANCELLED`
 */
export async function moveInto(
  workspace: Workspace,
  source: string,
  folder: string,
  signal: AbortSignal,
): Promise<void> {
  const names = await readdir(source);
  for (const name of names.toSorted((one, other) => Number(one === '.git') - Number(other === '.git'))) {
    using place = workspace.locate(join(folder, name), { followLast: false });
    if ((await lstat(place.at()).catch(() => undefined)) !== undefined) throw exists(join(folder, name));
    try {
      renameSync(join(source, name), place.at());
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw fileError(join(folder, name), error);
      await copyInto(workspace, join(source, name), join(folder, name), signal);
    }
  }
}

async function copyInto(workspace: Workspace, source: string, path: string, signal: AbortSignal): Promise<void> {
  if (signal.aborted) throw new KernelError('E_CANCELLED', 'The repository was not copied as a whole');
  const stats = await lstat(source);
  using place = workspace.locate(path, { followLast: false });
  try {
    if (stats.isSymbolicLink()) symlinkSync(await readlink(source), place.at());
    else if (stats.isDirectory()) await mkdir(place.at(), stats.mode & 0o777);
    else await copyFile(source, place.at(), constants.COPYFILE_EXCL);
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? exists(path) : fileError(path, error);
  }
  if (!stats.isDirectory()) return;
  for (const name of await readdir(source)) await copyInto(workspace, join(source, name), join(path, name), signal);
}

function exists(path: string): KernelError {
  return new KernelError('E_FILE_EXISTS', `Another program made ${JSON.stringify(path)} meanwhile`);
}
