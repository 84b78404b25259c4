import { randomUUID } from 'node:crypto';
import { open, rename, rm, stat } from 'node:fs/promises';
import { isKernelError, KernelError } from '@ravi/kernel';
import { fileError, isGitPath } from '@ravi/tools-kit';
import type { Workspace } from '@ravi/tools-kit';
import type { TextEdit, WorkspaceEdit } from 'vscode-languageserver-types';
import { Lines } from './positions.ts';
import { readText } from './read-text.ts';
import { nameOfUri, pathOfUri } from './workspace-uri.ts';

const maxFiles = 1_000;
const maxEdits = 20_000;
const maxTextBytes = 8 * 1024 * 1024;

/** File with its text after the edits of a server. */
export interface EditedFile {
  readonly path: string;
  readonly edits: number;
  readonly before: string;
  readonly after: string;
}

/** Limits and facts for {@link planEdit}. */
export interface PlanOptions {
  readonly maxBytes: number;
  /** True for a file that the server knows as it is. */
  readonly isUnchanged: (path: string) => Promise<boolean>;
}

/**
 * Computes what a workspace edit of a server makes of the files, without writing.
 * @throws KernelError `E_FILE_CHANGED` for a file that the server does not know as it is, `E_LSP_EDIT` for an edit that leads out of the workspace or into a Git folder, makes or removes files, overlaps, or is too large
 */
export async function planEdit(
  workspace: Workspace,
  edit: WorkspaceEdit,
  { maxBytes, isUnchanged }: PlanOptions,
): Promise<readonly EditedFile[]> {
  const byPath = new Map<string, TextEdit[]>();
  let total = 0;
  for (const [uri, edits] of editsOf(edit)) {
    const path = pathOfUri(workspace, uri);
    if (path === undefined)
      throw refused(`it changes ${JSON.stringify(nameOfUri(uri))}, which is outside of the workspace`);
    checkChangeable(workspace, path);
    const list = byPath.get(path) ?? [];
    for (const each of edits) list.push(checkedEdit(each));
    byPath.set(path, list);
    total += edits.length;
    if (total > maxEdits) throw refused(`it has more than ${maxEdits} edits`);
  }
  if (byPath.size > maxFiles) throw refused(`it changes more than ${maxFiles} files`);
  const files: EditedFile[] = [];
  // In one order, so that an error names the same files each time.
  for (const [path, edits] of [...byPath].toSorted(([left], [right]) => (left < right ? -1 : 1))) {
    const before = await readText(workspace, path, maxBytes);
    if (!(await isUnchanged(path))) throw changed(path, []);
    files.push({ path, edits: edits.length, before, after: applyEdits(before, edits) });
  }
  return files;
}

/** Refuses a file of a Git folder, whose hooks and configuration start programs, also through a link. */
function checkChangeable(workspace: Workspace, path: string): void {
  using place = workspace.locate(path);
  if (isGitPath(path) || isGitPath(place.path)) throw refused(`it changes ${JSON.stringify(path)}, a file of Git`);
}

function editsOf({ documentChanges, changes }: WorkspaceEdit): (readonly [uri: unknown, edits: readonly unknown[]])[] {
  if (documentChanges === undefined) return Object.entries(changes ?? {}).map(([uri, edits]) => [uri, listOf(edits)]);
  return listOf(documentChanges).map((change) => {
    const { kind, textDocument, edits } = (change ?? {}) as {
      readonly kind?: unknown;
      readonly textDocument?: { readonly uri?: unknown };
      readonly edits?: unknown;
    };
    if (kind !== undefined) throw refused(`it wants to ${JSON.stringify(kind)} a file`);
    return [textDocument?.uri, listOf(edits)];
  });
}

function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw refused('it has not the form of an edit');
  return value;
}

function checkedEdit(value: unknown): TextEdit {
  const { range, newText } = (value ?? {}) as Partial<TextEdit>;
  const numbers = [range?.start?.line, range?.start?.character, range?.end?.line, range?.end?.character];
  if (
    range === undefined ||
    typeof newText !== 'string' ||
    !numbers.every((number) => Number.isSafeInteger(number) && Number(number) >= 0)
  ) {
    throw refused('it has not the form of an edit');
  }
  return { range, newText };
}

/** Applies edits that all refer to the text before them. @throws KernelError `E_LSP_EDIT` if they overlap */
function applyEdits(text: string, edits: readonly TextEdit[]): string {
  const lines = new Lines(text);
  const spans = edits
    .map(({ range, newText }) => ({ start: lines.offset(range.start), end: lines.offset(range.end), newText }))
    .toSorted((left, right) => left.start - right.start || left.end - right.end);
  const parts: string[] = [];
  let at = 0;
  let bytes = 0;
  for (const { start, end, newText } of spans) {
    if (start < at || end < start) throw refused('its edits overlap');
    parts.push(text.slice(at, start), newText);
    bytes += newText.length;
    if (bytes > maxTextBytes) throw refused(`it adds more than ${maxTextBytes} characters`);
    at = end;
  }
  parts.push(text.slice(at));
  return parts.join('');
}

function refused(reason: string): KernelError {
  return new KernelError('E_LSP_EDIT', `The edit of the language server is not applied: ${reason}`, {
    hadNoEffect: true,
  });
}

function changed(path: string, written: readonly string[]): KernelError {
  const done = written.length === 0 ? 'No file was written' : `Written before it: ${written.join(', ')}`;
  const message = `${JSON.stringify(path)} has changed since the language server read it. ${done}`;
  return new KernelError('E_FILE_CHANGED', message, { hadNoEffect: written.length === 0 });
}

function withWritten(error: unknown, written: readonly string[]): unknown {
  if (!isKernelError(error) || written.length === 0) return error;
  return new KernelError(error.code, `${error.message}. Written before it: ${written.join(', ')}`, { cause: error });
}

/**
 * Writes the files, each at once: another program sees the old or the new content. A file that has changed since it was read is refused; those
 * before it stay written, and the error names them.
 * @throws KernelError `E_FILE_CHANGED`, and those of the file system
 */
export async function writeFiles(workspace: Workspace, files: readonly EditedFile[], maxBytes: number): Promise<void> {
  const written: string[] = [];
  for (const { path, before, after } of files) {
    using place = workspace.locate(path);
    // A link may have changed since the plan.
    if (isGitPath(place.path)) throw changed(path, written);
    await workspace.withLock(place, async () => {
      if ((await readText(workspace, path, maxBytes)) !== before) {
        throw changed(path, written);
      }
      const temporary = place.at(`.${randomUUID()}.tmp`);
      try {
        const { mode } = await stat(place.at());
        const file = await open(temporary, 'wx', mode & 0o777);
        try {
          await file.chmod(mode & 0o777);
          await file.writeFile(after);
          await file.sync();
        } finally {
          await file.close();
        }
        await rename(temporary, place.at());
      } catch (error) {
        await rm(temporary, { force: true });
        throw withWritten(fileError(path, error), written);
      }
      written.push(path);
    });
  }
}
