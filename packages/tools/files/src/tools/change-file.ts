import type { ToolContext } from '@ravi/kernel';
import type { Place } from '@ravi/tools-kit';
import { commitChanges } from '../change/commit-changes.ts';
import type { ChangedFile } from '../change/read-for-change.ts';
import type { FileContent } from '../file/read-content.ts';
import { createFoldersOf, withPlaces } from '../file/with-places.ts';
import type { FileParts } from '../parts.ts';

/** Change of one file by a tool. */
export interface ChangeFileOptions<Facts> {
  readonly tool: string;
  readonly path: string;
  readonly parts: FileParts;
  readonly context: ToolContext;
  /** True to create the folders above the file that are missing. */
  readonly createsFolders?: boolean;
  /** Reads the file and returns its new content. The lock of the file is held. */
  readonly next: (file: ChangedFile) => Promise<NextContent<Facts>>;
}

/** New content of a file, based on the one before. */
export interface NextContent<Facts> {
  readonly before: FileContent | undefined;
  readonly after: Buffer;
  readonly facts: Facts;
}

/** Change that was made. */
export interface MadeChange<Facts> {
  readonly facts: Facts;
  readonly created: boolean;
  /** False if the content is the same as before: the file was not touched. */
  readonly changed: boolean;
  readonly bytes: number;
  /** False if the change cannot be undone. */
  readonly undo: boolean;
}

/**
 * Changes one file as a whole under its lock, or not at all.
 * @throws KernelError of the places, of reading and of `commitChanges`
 */
export async function changeFile<Facts>(options: ChangeFileOptions<Facts>): Promise<MadeChange<Facts>> {
  const { tool, path, parts, context, next } = options;
  const workspace = parts.workspaceOf(context);
  const removeFolders = options.createsFolders === true ? createFoldersOf(workspace, path) : () => {};
  try {
    return await withPlaces(workspace, [path], async ([place]) => {
      const file = { place: place as Place, path, workspace, context, parts };
      const { before, after, facts } = await next(file);
      const made = { facts, created: before === undefined, bytes: after.length };
      if (before?.bytes.equals(after) === true) return { ...made, changed: false, undo: true };
      const call = { tool, workspace, context, maxFileBytes: parts.maxFileBytes };
      const undo = await commitChanges([{ place: file.place, path, before, after }], call);
      return { ...made, changed: true, undo };
    });
  } catch (error) {
    removeFolders();
    throw error;
  }
}
