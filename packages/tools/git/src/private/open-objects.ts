import { constants, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileError } from '@ravi/tools-kit';
import { isMissing, listAt, placeOf, shownPath } from './data-folder.ts';
import type { DataFolder } from './data-folder.ts';
import { untrusted } from '../run/git-error.ts';

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants;
const maxEntries = 200_000;
/** Objects are checked by their digest, and there may be millions. */
const isFanOut = /^objects\/[0-9a-f]{2}$/;

/**
 * Opens the folder with the objects of a repository and returns its handle. git reads the objects of other folders that are named there.
 * @throws KernelError `E_GIT_UNTRUSTED` for a link, a device, a pipe, more than 200 000 packs, or objects in another folder; `E_FILE_FORBIDDEN`
 */
export async function openObjects(data: DataFolder): Promise<number> {
  let entries = 0;
  const open = ['objects'];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    using place = placeOf(data, join(folder, 'info'));
    for (const entry of listAt(place, folder)) {
      entries += 1;
      if (entries > maxEntries) throw untrusted(`it has more than ${maxEntries} packs; run "git gc"`);
      const path = join(folder, entry.name);
      if (entry.isSymbolicLink()) throw untrusted(`"${path}" of its data is a link`);
      if (!entry.isFile() && !entry.isDirectory()) throw untrusted(`"${path}" of its data is not a file`);
      if (entry.isDirectory() && !isFanOut.test(path)) open.push(path);
    }
  }
  if (await hasAlternates(data)) throw untrusted('it takes objects from another folder (objects/info/alternates)');
  try {
    using place = placeOf(data, 'objects');
    return openSync(place.at(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  } catch (error) {
    throw fileError(shownPath('objects'), error);
  }
}

async function hasAlternates({ workspace, path }: DataFolder): Promise<boolean> {
  try {
    await using file = await workspace.openFile(join(path, 'objects/info/alternates'));
    return (await readFile(file, 'utf8')).trim() !== '';
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
