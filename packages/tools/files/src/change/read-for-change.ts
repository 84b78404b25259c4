import type { Scratchpad, ToolContext } from '@ravi/kernel';
import type { Place, Workspace } from '@ravi/tools-kit';
import { changed, notText, unread } from '../file-error.ts';
import { readContent, readIfExists } from '../file/read-content.ts';
import type { FileContent, ReadContentOptions } from '../file/read-content.ts';
import type { FileParts } from '../parts.ts';
import { digestOf, ReadMarks } from '../state/read-marks.ts';
import { isText, mediaKindOf } from '../text/content-kind.ts';

/** File that a call would change, for a check that only reads. */
export interface KnownFile {
  readonly place: Place;
  /** Path as the caller wrote it. */
  readonly path: string;
  readonly workspace: Workspace;
  readonly context: Pick<ToolContext, 'signal'> & { readonly scratchpad: Pick<Scratchpad, 'get'> };
  readonly parts: FileParts;
}

/** File that a call is about to change. */
export interface ChangedFile extends KnownFile {
  readonly context: ToolContext;
}

/**
 * Reads a file that a call changes, if it exists: its run has to know this content, or the content has to be `wanted` already.
 * @throws KernelError `E_FILE_UNREAD`, `E_FILE_CHANGED`, `E_FILE_BINARY`, and those of {@link readContent}
 */
export async function readKnown(file: KnownFile, wanted?: Buffer): Promise<FileContent | undefined> {
  const content = await readIfExists(file.place, optionsOf(file));
  if (content !== undefined && wanted?.equals(content.bytes) !== true) check(file, content);
  return content;
}

/**
 * Reads a text file that a call changes.
 * @throws KernelError as {@link readKnown}, `E_FILE_NOT_FOUND`, and `E_FILE_BINARY` for anything but text in UTF-8
 */
export async function readKnownText(file: KnownFile): Promise<FileContent> {
  const content = await readContent(file.place, optionsOf(file));
  if (!isText(content.bytes)) throw notText(file.path);
  check(file, content);
  return content;
}

function optionsOf({ path, context, parts }: KnownFile): ReadContentOptions {
  return { path, maxBytes: parts.maxFileBytes, signal: context.signal };
}

function check({ place, path, workspace, context, parts }: KnownFile, { bytes }: FileContent): void {
  if (!parts.requiresRead) return;
  const known = ReadMarks.digestIn(context.scratchpad, workspace, place);
  // A file that `read` refuses could never be changed, so the message must not ask for it.
  if (known === undefined) throw isText(bytes) || mediaKindOf(bytes) !== undefined ? unread(path) : notText(path);
  if (known !== digestOf(bytes)) throw changed(path);
}
