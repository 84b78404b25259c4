import { setTimeout } from 'node:timers/promises';
import { KernelError } from '@ravi/kernel';
import type { DataFolder } from './data-folder.ts';
import { addToFile, createLock, currentState, moveLock, readFile, removeFile } from './data-files.ts';
import type { NewFile } from './data-files.ts';
import type { DataChange } from './find-changes.ts';
import { readEntry } from './read-entry.ts';

const lockAttempts = 50;
const lockPauseMs = 20;
/** A ref fits, a log does not. */
const maxShownBytes = 100;

/** File that had to be removed before the file in its place could be locked. */
interface RemovedFile extends NewFile {
  readonly path: string;
}

/**
 * Makes changes of a private copy in the workspace. As git does, it locks each file and renames the new one into its place, so that other
 * programs see the old or the new content. If another program has changed one of the files since it was copied, nothing is changed. Returns the
 * states of the files that were written, by path.
 *
 * A branch `a` has to go before `a/b` can be locked. It is removed when all other files are locked, and written back if a step after it fails.
 * @throws KernelError `E_GIT_LOCKED` if a file stays locked for a second, `E_GIT_CHANGED`, `E_FILE_FORBIDDEN`, `E_FILE_NO_SPACE`
 */
export async function publishChanges(
  data: DataFolder,
  changes: readonly DataChange[],
): Promise<ReadonlyMap<string, string>> {
  const states = new Map<string, string>();
  const locks = new Set<string>();
  const made = new Set<string>();
  const removed: RemovedFile[] = [];
  const unlock = (path: string): void => {
    if (locks.delete(path)) removeFile(data, `${path}.lock`);
  };
  const lockAll = async (some: readonly DataChange[]): Promise<void> => {
    for (const change of some) {
      if (change.kind === 'remove' && currentState(data, change.path) === undefined) continue;
      states.set(change.path, await lock(data, change));
      locks.add(change.path);
    }
    for (const change of some) requireUnchanged(data, change);
  };
  const replaced = changes.filter(({ kind }) => kind !== 'append');
  const inTheWay = replaced.filter(({ kind, path }) => kind === 'remove' && isInTheWay(path, changes));
  const isBlocked = ({ path }: DataChange): boolean => inTheWay.some((other) => path.startsWith(`${other.path}/`));
  try {
    for (const change of replaced) requireUnchanged(data, change);
    await lockAll(replaced.filter((change) => !isBlocked(change)));
    for (const { path } of inTheWay) {
      const file = readFile(data, path);
      if (file !== undefined) removed.push({ path, ...file });
      removeFile(data, path);
      // The lock of a branch `a/b` is in the folder that the branch `a` replaces.
      if (changes.some((other) => path.startsWith(`${other.path}/`))) unlock(path);
    }
    await lockAll(replaced.filter(isBlocked));
    for (const change of changes) {
      const { kind, path } = change;
      if (kind === 'append') states.set(path, addToFile(data, change));
      if (kind === 'write') moveLock(data, path);
      if (kind === 'write') locks.delete(path);
      if (kind === 'remove' && !inTheWay.includes(change)) removeFile(data, path);
      made.add(path);
    }
    return states;
  } catch (error) {
    for (const path of locks) {
      try {
        unlock(path);
      } catch {
        // The first error is the one to report, and files have to be written back.
      }
    }
    const lost = removed.filter((file) => !isReplaced(file.path, made) && !writeBack(data, file));
    throw lost.length === 0 ? error : notWrittenBack(lost, error);
  } finally {
    for (const path of locks) unlock(path);
  }
}

/** A branch `a` is a file, and for a branch `a/b` there is a folder `a`. */
function isInTheWay(path: string, changes: readonly DataChange[]): boolean {
  return isReplaced(path, new Set(changes.filter(({ kind }) => kind !== 'remove').map((change) => change.path)));
}

function isReplaced(path: string, others: ReadonlySet<string>): boolean {
  return [...others].some((other) => other.startsWith(`${path}/`) || path.startsWith(`${other}/`));
}

/** Writes a file again, unless another program has written it meanwhile or does so now. Returns whether that succeeded. */
function writeBack(data: DataFolder, { path, ...file }: RemovedFile): boolean {
  try {
    if (currentState(data, path) !== undefined || createLock(data, path, file) === undefined) return true;
    moveLock(data, path);
    return true;
  } catch {
    return false;
  }
}

function notWrittenBack(lost: readonly RemovedFile[], error: unknown): KernelError {
  const files = lost.map(({ path, content }) => {
    const text = content.byteLength > maxShownBytes ? '' : ` with the content ${JSON.stringify(content.toString())}`;
    return `${JSON.stringify(path)}${text}`;
  });
  const reason = error instanceof Error ? error.message : String(error);
  return new KernelError(
    'E_GIT_FAILED',
    `${reason}. A file of the repository was removed and could not be written back: ${files.join(', ')}`,
  );
}

function requireUnchanged(data: DataFolder, { kind, path, original }: DataChange): void {
  const state = currentState(data, path);
  if (state === original || (kind === 'remove' && state === undefined)) return;
  throw new KernelError(
    'E_GIT_CHANGED',
    `Another program changed ${JSON.stringify(path)} of the repository while git worked, so the result of git is not in the repository. Look ` +
      'at the status of the repository, then repeat the call',
  );
}

/** Creates the lock of a file, with its new content, and returns the state of that. */
async function lock(data: DataFolder, change: DataChange): Promise<string> {
  const file = change.kind === 'write' ? readEntry(change.source, change.path) : undefined;
  if (change.kind === 'write' && file === undefined)
    throw new TypeError(`The private file of "${change.path}" is gone`);
  for (let attempt = 1; ; attempt += 1) {
    const state = createLock(data, change.path, file);
    if (state !== undefined) return state;
    if (attempt === lockAttempts) {
      throw new KernelError(
        'E_GIT_LOCKED',
        `Another program holds the lock of ${JSON.stringify(change.path)} of the repository, so the result of git is not in the repository. ` +
          'Look at the status of the repository, then repeat the call',
      );
    }
    await setTimeout(lockPauseMs);
  }
}
