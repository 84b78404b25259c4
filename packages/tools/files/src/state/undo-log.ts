import { isKernelError } from '@ravi/kernel';
import type { ToolContext } from '@ravi/kernel';
import type { Workspace } from '@ravi/tools-kit';
import { digestOf } from './read-marks.ts';

/** Change of one file, in a form that takes it back. */
export interface UndoFile {
  /** Path from the root of the workspace without links. */
  readonly path: string;
  /** Digest of the content after the change; `undefined` if the change has removed the file. */
  readonly after: string | undefined;
  /** Bytes that the change has removed; `undefined` if the file did not exist before. */
  readonly removed: Uint8Array | undefined;
  /** Offset of the removed bytes, and the number of bytes in their place now. */
  readonly start: number;
  readonly inserted: number;
  /** Permissions of the file before, as in `stat`. */
  readonly mode: number;
}

/** Stored form of a change; the bytes of its files follow each other. */
type StoredFile = Omit<UndoFile, 'removed'> & { readonly bytes?: number | undefined };

/** Change on record: with its data, or with an artifact that has them. */
export interface UndoEntry {
  readonly tool: string;
  readonly inline?: string;
  readonly ref?: string;
}

const maxEntries = 10;
const maxInlineBytes = 768;

/**
 * The last changes of a run, at most 10, in its scratchpad. A small change is stored there whole, the bytes of a larger one are an artifact of
 * the run.
 */
export class UndoLog {
  readonly #context: ToolContext;
  readonly #key: string;

  constructor(context: ToolContext, { root }: Workspace) {
    this.#context = context;
    this.#key = `@files/undo/${digestOf(root).slice(0, 8)}`;
  }

  /** Prepares the record of a change, before it is made. `undefined` if its content cannot be kept: it is then not undone. */
  async prepare(tool: string, files: readonly UndoFile[]): Promise<UndoEntry | undefined> {
    const stored = files.map(({ removed, ...rest }): StoredFile => ({ ...rest, bytes: removed?.length }));
    const head = Buffer.from(`${JSON.stringify(stored)}\n`);
    const data = Buffer.concat([head, ...files.flatMap(({ removed }) => removed ?? [])]);
    if (data.length <= maxInlineBytes) return { tool, inline: data.toString('base64') };
    try {
      const ref = await this.#context.storeArtifact(data, 'application/octet-stream', { name: `before-${tool}` });
      return { tool, ref };
    } catch (error) {
      if (isKernelError(error, 'E_CANCELLED')) throw error;
      this.#context.log.warn('a change of files cannot be undone', { tool, error: String(error) });
      return undefined;
    }
  }

  /** Puts a change on record. Returns false if the scratchpad is full. */
  push(entry: UndoEntry): boolean {
    const entries = [...this.#entries(), entry].slice(-maxEntries);
    for (let first = 0; first < entries.length; first += 1) {
      if (this.#set(entries.slice(first))) return true;
    }
    return false;
  }

  /** Returns the last change on record; `undefined` if there is none. */
  last(): UndoEntry | undefined {
    return this.#entries().at(-1);
  }

  /** Returns true if no change was put on record after this one, and it was not taken off. */
  isLast(entry: UndoEntry): boolean {
    const last = this.last();
    return last !== undefined && isSame(last, entry);
  }

  /** Takes a change off the record, wherever it is by now. */
  remove(entry: UndoEntry): void {
    const entries = this.#entries();
    const index = entries.findLastIndex((each) => isSame(each, entry));
    if (index !== -1) this.#set(entries.toSpliced(index, 1));
  }

  /** Returns the files of a change. @throws KernelError of the blob store */
  async filesOf({ inline, ref }: UndoEntry): Promise<readonly UndoFile[]> {
    const data = Buffer.from(
      inline === undefined ? await this.#context.blobs.resolve(ref ?? '') : Buffer.from(inline, 'base64'),
    );
    const end = data.indexOf('\n');
    const stored = JSON.parse(data.subarray(0, end).toString()) as readonly StoredFile[];
    let offset = end + 1;
    return stored.map(({ bytes, ...rest }) => {
      const removed = bytes === undefined ? undefined : data.subarray(offset, offset + bytes);
      offset += bytes ?? 0;
      return { ...rest, after: rest.after, removed };
    });
  }

  #entries(): UndoEntry[] {
    const value = this.#context.scratchpad.get(this.#key);
    return Array.isArray(value) ? (value as UndoEntry[]) : [];
  }

  #set(entries: readonly UndoEntry[]): boolean {
    const { scratchpad } = this.#context;
    try {
      if (entries.length === 0) scratchpad.delete(this.#key);
      else scratchpad.set(this.#key, entries);
      return true;
    } catch {
      return false;
    }
  }
}

function isSame(left: UndoEntry, right: UndoEntry): boolean {
  return left.tool === right.tool && left.inline === right.inline && left.ref === right.ref;
}
