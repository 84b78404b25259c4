import { closeSync, constants, lstatSync, mkdirSync, openSync, readlinkSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { fileError, outsideError } from './path-error.ts';
import { splitFrom } from './read-path.ts';

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants;
const folderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
const maxLinks = 40;
const hasFolderHandles = process.platform === 'linux';

/** Place of an entry: an open folder, and the name of the entry in it. Closes the folder when disposed. */
export interface Place extends Disposable {
  /** Name in the folder; `.` for the workspace itself. The entry may not exist. */
  readonly name: string;
  /** Path from the root of the workspace without links, with `/` between its parts; `.` for the workspace itself. */
  readonly path: string;
  /**
   * Path for system calls to the entry, or to `sibling` in the same folder. On Linux it goes through the open folder, so that a folder which
   * is moved or replaced by a link in between does not change where it leads. Valid until the place is disposed: await the call before.
   */
  at(sibling?: string): string;
}

/** Options of {@link walk}. */
export interface WalkOptions {
  /** Creates the folders on the way that are missing. Default: false. */
  readonly createFolders?: boolean;
  /** False to stop at a link instead of following it. Default: true. */
  readonly followLast?: boolean;
}

interface Step {
  readonly name: string;
  readonly fd: number;
}

/**
 * Walks from `root` along `parts` and returns the place of the last one. Each folder is opened relative to the one before it and never through a
 * link; links are read and followed here, as far as they stay below `root`. So no link, no `..` and no change during the walk leads outside.
 * `shown` is the path as the caller wrote it, for messages.
 * @throws KernelError `E_PATH_OUTSIDE`, `E_FILE_NOT_FOUND`, `E_FILE_KIND`, `E_FILE_FORBIDDEN`
 */
export function walk(root: string, parts: readonly string[], shown: string, options: WalkOptions = {}): Place {
  const steps: Step[] = [];
  const left = parts.toReversed();
  let links = 0;
  try {
    steps.push({ name: '.', fd: openSync(root, O_RDONLY | O_DIRECTORY) });
    for (;;) {
      const name = left.pop();
      if (name === undefined) return placeOf(root, steps, '.');
      if (name === '..') {
        closeLast(steps, shown);
        continue;
      }
      const path = entryPath(root, steps, name);
      const link = left.length === 0 && options.followLast === false ? undefined : readLink(path);
      if (link !== undefined) {
        links += 1;
        if (links > maxLinks) throw fileError(shown, Object.assign(new Error(), { code: 'ELOOP' }));
        if (isAbsolute(link)) while (steps.length > 1) closeLast(steps, shown);
        left.push(...splitFrom(link, root).toReversed());
        continue;
      }
      if (left.length === 0) return placeOf(root, steps, name);
      steps.push({ name, fd: openFolder(path, options.createFolders === true) });
    }
  } catch (error) {
    for (const step of steps) closeSync(step.fd);
    throw fileError(shown, error);
  }
}

function placeOf(root: string, steps: Step[], name: string): Place {
  const isFolder = name === '.' && steps.length > 1;
  const last = steps.at(-1) as Step;
  // A path that ends at a folder which is open already: its place is in the folder above.
  if (isFolder) {
    steps.pop();
    closeSync(last.fd);
  }
  const entry = isFolder ? last.name : name;
  const folder = steps.at(-1) as Step;
  for (const step of steps) if (step !== folder) closeSync(step.fd);
  const base = hasFolderHandles ? `/proc/self/fd/${folder.fd}` : join(root, ...steps.slice(1).map((step) => step.name));
  const path = [...steps.slice(1).map((step) => step.name), entry].join('/');
  let isOpen = true;
  return {
    name: entry,
    path,
    at(sibling = entry) {
      // The number of a closed handle may be that of another folder by now.
      if (!isOpen) throw new TypeError('The place was disposed');
      return `${base}/${sibling}`;
    },
    [Symbol.dispose]() {
      if (isOpen) closeSync(folder.fd);
      isOpen = false;
    },
  };
}

function entryPath(root: string, steps: readonly Step[], name: string): string {
  const last = steps.at(-1) as Step;
  if (hasFolderHandles) return `/proc/self/fd/${last.fd}/${name}`;
  return join(root, ...steps.slice(1).map((step) => step.name), name);
}

function closeLast(steps: Step[], shown: string): void {
  if (steps.length === 1) throw outsideError(shown);
  closeSync((steps.pop() as Step).fd);
}

function openFolder(path: string, isCreated: boolean): number {
  try {
    return openSync(path, folderFlags);
  } catch (error) {
    if (!isCreated || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    try {
      mkdirSync(path);
    } catch (failure) {
      if ((failure as NodeJS.ErrnoException).code !== 'EEXIST') throw failure;
    }
    return openSync(path, folderFlags);
  }
}

/** Returns the target of a link; `undefined` for any other entry, or none. */
function readLink(path: string): string | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isSymbolicLink() !== true) return undefined;
  try {
    return readlinkSync(path);
  } catch (error) {
    // Another process has replaced the link since. The next call opens what is there now, and follows no link.
    if (['EINVAL', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}
