import { closeSync, constants, fstatSync, futimesSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Place } from '@ravi/tools-kit';
import { isMissing, listAt, placeOf, stateOf } from './data-folder.ts';
import type { DataFolder } from './data-folder.ts';
import { packableRef, packedRefs, writePrivateRefs } from './private-refs.ts';
import type { PrivateRefs } from './private-refs.ts';
import { maxDataBytes, readEntry } from './read-entry.ts';
import type { ReadEntry } from './read-entry.ts';
import { untrusted } from '../run/git-error.ts';

const { O_CREAT, O_EXCL, O_WRONLY } = constants;
const maxEntries = 200_000;
/** Entries between two turns of the event loop. */
const entriesAtOnce = 256;

/** Folders of the data that git needs, other than the objects. */
const neededFolders: ReadonlySet<string> = new Set([
  'info',
  'logs',
  'rebase-apply',
  'rebase-merge',
  'refs',
  'reftable',
  'sequencer',
  'worktrees',
]);

/** Logs other than those of `HEAD` and the stash: there is one for each branch. */
const isLaterLog = /^logs\/refs\/(?!stash$)/;

/** Part of the data of a repository that a call needs. */
export interface CopyScope extends DataFolder {
  /** Data of the work tree of the call, relative to the folder: empty, or `worktrees/<name>`. */
  readonly worktree: string;
  /** True to copy the hooks as well. */
  readonly hooks: boolean;
}

/** Text for each of two files that changes when the file is replaced or written. */
export interface FileStates {
  /** Of the file in the workspace. */
  readonly original: string;
  /** Of its private copy; `undefined` for a ref that is in the private `packed-refs`. */
  readonly copy: string | undefined;
}

/** Private copy of the data of a repository. */
export interface CopiedData {
  /** Files by their paths in the data. */
  readonly files: Map<string, FileStates>;
  readonly refs: PrivateRefs;
  /** Copies the logs of branches and tags, which only commands that write need, and revisions such as `main@{1}`. Once. */
  copyLogs(): Promise<void>;
}

/**
 * Copies the data of a repository, without its objects, to the folder `target`, which nothing else uses. Each file is read once, through a
 * handle. Loose refs become part of the private `packed-refs`, and most logs wait for `copyLogs`.
 * @throws KernelError `E_GIT_UNTRUSTED` for a link, a device, a pipe, more than 200 000 entries or 256 MiB; `E_FILE_FORBIDDEN`; `E_GIT_FAILED`
 * for a `packed-refs` that git cannot read
 */
export async function copyData(scope: CopyScope, target: string): Promise<CopiedData> {
  const copied = new Map<string, FileStates>();
  const loose = new Map<string, string>();
  const logsLeft = new Map<string, string[]>();
  let packed: Buffer | undefined;
  let entries = 0;
  let bytesLeft = maxDataBytes;

  async function copyFolder(folder: string): Promise<void> {
    using place = folderAt(scope, folder);
    if (place === undefined) return;
    mkdirSync(join(target, folder), { recursive: true });
    const names: string[] = [];
    const logs: string[] = [];
    for (const entry of listAt(place, folder)) {
      entries += 1;
      if (entries > maxEntries)
        throw untrusted(`it has more than ${maxEntries} refs and other files; run "git pack-refs"`);
      if (entries % entriesAtOnce === 0) await setImmediate();
      const path = join(folder, entry.name);
      if (entry.isSymbolicLink()) throw untrusted(`"${path}" of its data is a link`);
      if (!entry.isFile() && !entry.isDirectory()) throw untrusted(`"${path}" of its data is not a file`);
      if (entry.isFile() && isNeededFile(scope, path)) (isLaterLog.test(path) ? logs : names).push(entry.name);
      if (entry.isDirectory() && isNeededFolder(scope, path)) await copyFolder(path);
    }
    // After the folders: a ref that another program packs meanwhile is then in `packed-refs`.
    await copyFiles(place, folder, names);
    if (logs.length > 0) logsLeft.set(folder, logs);
  }

  async function copyFiles(place: Place, folder: string, names: readonly string[]): Promise<void> {
    for (const [index, name] of names.entries()) {
      if (index % entriesAtOnce === entriesAtOnce - 1) await setImmediate();
      copyFile(place, join(folder, name));
    }
  }

  function copyFile(place: Place, path: string): void {
    const read = readEntry(place.at(basename(path)), path, bytesLeft);
    if (read === undefined) return;
    bytesLeft -= read.content.byteLength;
    const digest = packableRef(path, read.content);
    if (digest !== undefined) loose.set(path, digest);
    if (path === packedRefs) packed = read.content;
    const isInPackedRefs = digest !== undefined || path === packedRefs;
    const copy = isInPackedRefs ? undefined : writeCopy(join(target, path), read);
    copied.set(path, { original: read.state, copy });
  }

  await copyFolder('');
  return {
    files: copied,
    refs: writePrivateRefs(target, { packed, loose }),
    async copyLogs() {
      for (const [folder, names] of logsLeft) {
        logsLeft.delete(folder);
        using place = folderAt(scope, folder);
        if (place !== undefined) await copyFiles(place, folder, names);
      }
    },
  };
}

function isNeededFolder({ worktree, hooks }: CopyScope, path: string): boolean {
  const [first = '', name, inner] = path.split('/');
  if (first === 'hooks') return hooks;
  if (first !== 'worktrees' || inner === undefined) return neededFolders.has(first);
  // git looks at the branches of the other work trees only.
  return neededFolders.has(inner) && (join(first, name ?? '') === worktree || inner !== 'logs');
}

function isNeededFile({ worktree }: CopyScope, path: string): boolean {
  const [first, name, inner] = path.split('/');
  return first !== 'worktrees' || inner !== 'index' || join(first, name ?? '') === worktree;
}

/** Returns the place of an entry in a folder of the data; `undefined` for a folder that has just been removed. */
function folderAt(scope: CopyScope, folder: string): Place | undefined {
  try {
    return placeOf(scope, join(folder, 'HEAD'));
  } catch (error) {
    if (folder !== '' && isMissing(error)) return undefined;
    throw error;
  }
}

/** Writes a private copy and returns its state. */
function writeCopy(path: string, { content, modifiedAt, mode }: ReadEntry): string {
  const handle = openSync(path, O_WRONLY | O_CREAT | O_EXCL, (mode & 0o777) | 0o600);
  try {
    writeFileSync(handle, content);
    // git compares the time of the index with those of files. An earlier time only makes it look at a file again.
    if (basename(path) === 'index') futimesSync(handle, modifiedAt / 1000, modifiedAt / 1000);
    return stateOf(fstatSync(handle, { bigint: true }));
  } finally {
    closeSync(handle);
  }
}
