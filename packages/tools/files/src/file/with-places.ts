import { lstatSync, mkdirSync, rmdirSync } from 'node:fs';
import { isAbsolute, relative } from 'node:path';
import { isKernelError, KernelError } from '@ravi/kernel';
import { fileError, isGitPath, show } from '@ravi/tools-kit';
import type { Place, Workspace } from '@ravi/tools-kit';
import { isProtected } from '../file-error.ts';

const maxAttempts = 5;

/** Options of {@link withPlaces}. */
export interface PlaceOptions {
  /** False for the place of a link itself. Default: true. */
  readonly followLast?: boolean;
}

/**
 * Runs `work` with the places of files that it changes, in the order of `paths`, while no other work on them runs in this process. The places
 * are found again once the locks are held, because a link may have changed in the meantime.
 * @throws KernelError of `locate`; `E_FILE_PROTECTED` for a Git folder, `E_FILE_KIND` for the workspace itself, `E_FILE_BUSY`
 */
export async function withPlaces<Result>(
  workspace: Workspace,
  paths: readonly string[],
  work: (places: readonly Place[]) => Promise<Result>,
  options: PlaceOptions = {},
): Promise<Result> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const expected = paths.map((path) => lockPlaceOf(workspace, path, options));
    const done = await withLocks(workspace, expected, async () => {
      const places: Place[] = [];
      try {
        for (const path of paths) places.push(changeable(workspace, path, options));
        const areSame = places.every((place, index) => place.path === expected[index]?.path);
        return areSame ? { result: await work(places) } : undefined;
      } finally {
        for (const place of places) place[Symbol.dispose]();
      }
    });
    if (done !== undefined) return done.result;
  }
  const message = `${show(paths[0] ?? '')} leads to another file at each attempt`;
  throw new KernelError('E_FILE_BUSY', message, { retryable: true, hadNoEffect: true });
}

/**
 * Returns the place of an entry that a tool may change. Dispose it after use.
 * @throws KernelError as {@link withPlaces}
 */
export function changeable(workspace: Workspace, path: string, options: PlaceOptions = {}): Place {
  const place = workspace.locate(path, options);
  try {
    if (isGitPath(place.path)) throw isProtected(path);
    if (place.path === '.')
      throw new KernelError('E_FILE_KIND', `${show(path)} is the workspace itself, not a file in it`);
    return place;
  } catch (error) {
    place[Symbol.dispose]();
    throw error;
  }
}

// Only the path of the place is used while its lock is awaited, so no handle stays open.
function lockPlaceOf(workspace: Workspace, path: string, options: PlaceOptions): Place {
  using place = changeable(workspace, path, options);
  return place;
}

// Locks are taken in one order everywhere, so that two calls never wait for each other.
function withLocks<Result>(
  workspace: Workspace,
  places: readonly Place[],
  work: () => Promise<Result>,
): Promise<Result> {
  const byKey = new Map(places.map((place) => [place.path.normalize('NFC').toLowerCase(), place]));
  const ordered = [...byKey].toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([, place]) => place);
  return ordered.reduceRight<() => Promise<Result>>((inner, place) => () => workspace.withLock(place, inner), work)();
}

/**
 * Creates the folders above a file that are missing, one by one, each after its place was checked. Returns a function that removes those
 * which are still empty.
 * @throws KernelError as {@link withPlaces}
 */
export function createFoldersOf(workspace: Workspace, path: string): () => void {
  try {
    changeable(workspace, path)[Symbol.dispose]();
    return () => {};
  } catch (error) {
    if (!isKernelError(error, 'E_FILE_NOT_FOUND')) throw error;
  }
  const created: string[] = [];
  const undo = (): void => {
    for (const folder of created.toReversed()) removeIfEmpty(workspace, folder);
  };
  try {
    const parts = (isAbsolute(path) ? relative(workspace.root, path) : path).split('/');
    for (let count = 1; count < parts.length; count += 1) {
      const folder = parts.slice(0, count).join('/');
      if (folder !== '' && createFolder(workspace, folder)) created.push(folder);
    }
    changeable(workspace, path)[Symbol.dispose]();
  } catch (error) {
    undo();
    throw error;
  }
  return undo;
}

function createFolder(workspace: Workspace, folder: string): boolean {
  using place = workspace.locate(folder);
  if (isGitPath(place.path)) throw isProtected(folder);
  if (place.path === '.' || lstatSync(place.at(), { throwIfNoEntry: false }) !== undefined) return false;
  try {
    mkdirSync(place.at());
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw fileError(folder, error);
  }
}

function removeIfEmpty(workspace: Workspace, folder: string): void {
  try {
    using place = workspace.locate(folder);
    rmdirSync(place.at());
  } catch {
    // It has a file of another call by now, or was removed.
  }
}
