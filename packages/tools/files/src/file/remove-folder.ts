import { readdirSync, rmdirSync, unlinkSync } from 'node:fs';
import { KernelError } from '@ravi/kernel';
import { fileError, isGitPath, show } from '@ravi/tools-kit';
import type { Place, Workspace } from '@ravi/tools-kit';
import { changed, isProtected } from '../file-error.ts';

const maxEntries = 100_000;

/** Entry below a folder. */
interface Entry {
  /** Path from the root of the workspace without links. */
  readonly path: string;
  readonly isFolder: boolean;
}

/**
 * Lists all entries of a folder, each folder after what is in it. Links are listed, not followed.
 * @throws KernelError `E_FILE_PROTECTED` if there is a Git folder among them, `E_FILE_TOO_LARGE` above 100 000 entries, `E_FILE_CHANGED`,
 * and the reason of an aborted signal
 */
export function listFolder(workspace: Workspace, folder: string, signal: AbortSignal): readonly Entry[] {
  const found: Entry[] = [];
  const left = [folder];
  for (let path = left.pop(); path !== undefined; path = left.pop()) {
    signal.throwIfAborted();
    // The place of any name in the folder holds the folder open.
    using inside = placeOf(workspace, `${path}/any`);
    for (const entry of readdirSync(inside.at('.'), { withFileTypes: true })) {
      const child = { path: `${path}/${entry.name}`, isFolder: entry.isDirectory() };
      if (isGitPath(child.path)) throw isProtected(child.path);
      if (child.isFolder) left.push(child.path);
      if (found.push(child) > maxEntries) {
        const message = `${show(folder)} has more than ${maxEntries} entries. Delete the folders in it one by one`;
        throw new KernelError('E_FILE_TOO_LARGE', message, { hadNoEffect: true });
      }
    }
  }
  return found.toReversed();
}

/** Removes entries in their order, and then the folder. @throws KernelError as {@link listFolder}, `E_FILE_FORBIDDEN`, `E_FILE_KIND` */
export function removeEntries(
  workspace: Workspace,
  folder: string,
  entries: readonly Entry[],
  signal: AbortSignal,
): void {
  for (const { path, isFolder } of [...entries, { path: folder, isFolder: true }]) {
    signal.throwIfAborted();
    using place = placeOf(workspace, path);
    try {
      if (isFolder) rmdirSync(place.at());
      else unlinkSync(place.at());
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw fileError(path, error);
    }
  }
}

// A folder that was replaced by a link since it was listed leads to another path.
function placeOf(workspace: Workspace, path: string): Place {
  const place = workspace.locate(path, { followLast: false });
  if (place.path === path) return place;
  place[Symbol.dispose]();
  throw changed(path);
}
