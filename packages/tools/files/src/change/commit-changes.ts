import { lstatSync, unlinkSync } from 'node:fs';
import { KernelError } from '@ravi/kernel';
import type { ToolContext } from '@ravi/kernel';
import { fileError, show } from '@ravi/tools-kit';
import type { Place, Workspace } from '@ravi/tools-kit';
import { changed, tooLarge } from '../file-error.ts';
import type { FileContent } from '../file/read-content.ts';
import { digestOf, ReadMarks } from '../state/read-marks.ts';
import { UndoLog } from '../state/undo-log.ts';
import type { UndoFile } from '../state/undo-log.ts';
import { spliceBetween } from './splice.ts';
import { stagedName, stageFile } from './staged-file.ts';
import type { StagedFile } from './staged-file.ts';

/** Change of one file. */
export interface FileChange {
  readonly place: Place;
  /** Path as the caller wrote it. */
  readonly path: string;
  /** Content that the change is based on; `undefined` if the file does not exist. */
  readonly before: FileContent | undefined;
  /** New content; `undefined` to remove the file. */
  readonly after: Uint8Array | undefined;
  /** Permissions of a file that is created. Default: those of any new file of the process. */
  readonly mode?: number | undefined;
}

/** Call that makes changes. */
export interface ChangeCall {
  /** Name of the tool, for the record. */
  readonly tool: string;
  readonly workspace: Workspace;
  readonly context: ToolContext;
  readonly maxFileBytes: number;
  /** `never` leaves the change off the record of undo, `required` refuses one that cannot be kept. Default: as far as possible. */
  readonly undo?: 'never' | 'required';
}

/**
 * Makes changes of files whose locks are held: all of them or none. Each new content is complete on the disk before the first file changes, so a
 * process that is killed leaves every file as it was or as it should be. Returns false if the changes cannot be undone.
 * @throws KernelError `E_FILE_CHANGED` if another program has changed a file in between, `E_FILE_TOO_LARGE`, `E_FILE_PARTIAL`,
 * `E_FILE_NO_UNDO`, and those of {@link stageFile}
 */
export async function commitChanges(changes: readonly FileChange[], call: ChangeCall): Promise<boolean> {
  const { context, workspace, tool, maxFileBytes } = call;
  for (const { path, after } of changes) {
    if (after !== undefined && after.length > maxFileBytes) {
      throw tooLarge(path, after.length, maxFileBytes, 'Nothing was changed');
    }
  }
  const staged = new Map<FileChange, StagedFile>();
  try {
    // The digest of a large content is computed while its bytes go to the disk.
    const [, files] = await Promise.all([stageAll(changes, staged, context), undoFilesOf(changes)]);
    const log = new UndoLog(context, workspace);
    const entry = call.undo === 'never' ? undefined : await log.prepare(tool, files);
    if (entry === undefined && call.undo === 'required') throw noUndo(changes);
    await context.begin();
    for (const change of changes) verify(change);
    const isOnRecord = entry !== undefined && log.push(entry);
    if (!isOnRecord && call.undo === 'required') throw noUndo(changes);
    try {
      await replaceAll(changes, staged, context);
    } catch (error) {
      if (isOnRecord) log.remove(entry);
      throw error;
    }
    remember(
      changes,
      files.map(({ after }) => after),
      new ReadMarks(context.scratchpad, workspace),
    );
    return isOnRecord || call.undo === 'never';
  } finally {
    for (const file of staged.values()) file.discard();
  }
}

function noUndo([first]: readonly FileChange[]): KernelError {
  const message = `The content of ${show(first?.path ?? '')} could not be kept for undo, so nothing was changed`;
  return new KernelError('E_FILE_NO_UNDO', message, { hadNoEffect: true });
}

async function stageAll(
  changes: readonly FileChange[],
  staged: Map<FileChange, StagedFile>,
  context: ToolContext,
): Promise<void> {
  for (const change of changes) {
    if (change.after !== undefined) staged.set(change, await stage(change, change.after, context));
  }
}

function stage(
  { place, path, before, mode }: FileChange,
  bytes: Uint8Array,
  context: ToolContext,
): Promise<StagedFile> {
  const { idempotencyKey, signal } = context;
  const own =
    mode === undefined
      ? undefined
      : { mode: BigInt(mode), uid: BigInt(process.getuid?.() ?? 0), gid: BigInt(process.getgid?.() ?? 0) };
  return stageFile(place, bytes, {
    path,
    name: stagedName(idempotencyKey, place.name),
    replaces: before?.stats ?? own,
    signal,
  });
}

async function undoFilesOf(changes: readonly FileChange[]): Promise<readonly UndoFile[]> {
  return changes.map(undoFileOf);
}

function undoFileOf({ place, before, after }: FileChange): UndoFile {
  const mode = before === undefined ? 0 : Number(before.stats.mode & 0o777n);
  const splice = before === undefined ? undefined : spliceBetween(before.bytes, after ?? new Uint8Array());
  return {
    path: place.path,
    after: after === undefined ? undefined : digestOf(after),
    removed: splice?.removed,
    start: splice?.start ?? 0,
    inserted: splice?.inserted ?? after?.length ?? 0,
    mode,
  };
}

// Compares the file with the version that the change is based on: its number, size and times.
function verify({ place, path, before }: FileChange): void {
  const stats = lstatSync(place.at(), { bigint: true, throwIfNoEntry: false });
  if (stats === undefined && before === undefined) return;
  if (stats === undefined || before === undefined) throw changed(path);
  const fields = ['dev', 'ino', 'size', 'mtimeNs', 'ctimeNs'] as const;
  if (fields.some((field) => stats[field] !== before.stats[field])) throw changed(path);
}

// Files are removed last, so that a content that moves is never in no file at all.
async function replaceAll(
  changes: readonly FileChange[],
  staged: ReadonlyMap<FileChange, StagedFile>,
  context: ToolContext,
): Promise<void> {
  const ordered = changes.toSorted(
    (left, right) => Number(left.after === undefined) - Number(right.after === undefined),
  );
  const done: FileChange[] = [];
  for (const change of ordered) {
    try {
      if (change.after === undefined) unlinkSync(change.place.at());
      else staged.get(change)?.commit();
      done.push(change);
    } catch (error) {
      // No wait before the first change, which is the only one for most calls.
      if (done.length > 0) await restore(done.toReversed(), context);
      throw fileError(change.path, error);
    }
  }
}

// The call has to end with its files as they were, even if it was cancelled meanwhile.
async function restore(changes: readonly FileChange[], { idempotencyKey }: ToolContext): Promise<void> {
  const failed: string[] = [];
  for (const { place, path, before } of changes) {
    try {
      if (before === undefined) {
        unlinkSync(place.at());
        continue;
      }
      const name = stagedName(idempotencyKey, place.name);
      const { signal } = new AbortController();
      (await stageFile(place, before.bytes, { path, name, replaces: before.stats, signal })).commit();
    } catch {
      failed.push(path);
    }
  }
  if (failed.length === 0) return;
  const message = `A change of several files failed halfway, and ${failed.map(show).join(', ')} could not be restored`;
  throw new KernelError('E_FILE_PARTIAL', message);
}

function remember(changes: readonly FileChange[], digests: readonly (string | undefined)[], marks: ReadMarks): void {
  for (const [index, { place }] of changes.entries()) {
    const digest = digests[index];
    if (digest === undefined) marks.delete(place);
    else marks.set(place, digest);
  }
}
