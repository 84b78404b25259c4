import type { Scratchpad } from '@ravi/kernel';
import type { Place, Workspace } from '@ravi/tools-kit';
import { createHash } from 'node:crypto';

const bucketCount = 32;
/** Files per bucket. All buckets together take at most 31 KB of the scratchpad. */
const maxEntries = 40;
const nameLength = 8;
const entryLength = nameLength + 16;

/**
 * Digests of the contents that a run has seen, in its scratchpad: so they survive a pause and the end of a process. About 1 200 files are
 * remembered; a file that was read long before the others has to be read again before a change. Each file has an entry of 24 characters in one
 * of 32 values, so that a read writes little.
 */
export class ReadMarks {
  readonly #scratchpad: Scratchpad;
  readonly #root: string;

  constructor(scratchpad: Scratchpad, { root }: Workspace) {
    this.#scratchpad = scratchpad;
    this.#root = root;
  }

  /** Returns what {@link ReadMarks.get} returns, for a caller that may only read the scratchpad. */
  static digestIn(scratchpad: Pick<Scratchpad, 'get'>, workspace: Workspace, place: Place): string | undefined {
    return new ReadMarks(scratchpad as Scratchpad, workspace).get(place);
  }

  /** Returns the digest of the content that the run has seen; `undefined` if it has not, or no longer knows. */
  get(place: Place): string | undefined {
    const { key, name } = this.#entryOf(place);
    const bucket = this.#bucket(key);
    const index = indexOf(bucket, name);
    return index === -1 ? undefined : bucket.slice(index + nameLength, index + entryLength);
  }

  /** Remembers the content. Returns false if the scratchpad is full: the file then counts as not read. */
  set(place: Place, digest: string): boolean {
    const { key, name } = this.#entryOf(place);
    const bucket = this.#bucket(key);
    const next = (without(bucket, name) + name + digest).slice(-maxEntries * entryLength);
    if (next === bucket) return true;
    try {
      this.#scratchpad.set(key, next);
      return true;
    } catch {
      return false;
    }
  }

  /** Forgets a file. */
  delete(place: Place): void {
    const { key, name } = this.#entryOf(place);
    const bucket = this.#bucket(key);
    const next = without(bucket, name);
    if (next === '') this.#scratchpad.delete(key);
    else if (next !== bucket) this.#scratchpad.set(key, next);
  }

  #bucket(key: string): string {
    const value = this.#scratchpad.get(key);
    return typeof value === 'string' && value.length % entryLength === 0 ? value : '';
  }

  // On a file system that ignores case, two spellings are one file. Elsewhere they share an entry, and the one that was read later has it.
  #entryOf({ path }: Place): { readonly key: string; readonly name: string } {
    const digest = digestOf(`${this.#root}\0${path.normalize('NFC').toLowerCase()}`);
    const bucket = digest.charCodeAt(nameLength) % bucketCount;
    return { key: `@files/read/${bucket}`, name: digest.slice(0, nameLength) };
  }
}

function indexOf(bucket: string, name: string): number {
  for (let index = 0; index < bucket.length; index += entryLength) if (bucket.startsWith(name, index)) return index;
  return -1;
}

function without(bucket: string, name: string): string {
  const index = indexOf(bucket, name);
  return index === -1 ? bucket : bucket.slice(0, index) + bucket.slice(index + entryLength);
}

/** Returns the first 96 bits of a SHA-256 as 16 characters: enough to recognize content, and small enough to remember many files. */
export function digestOf(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('base64url').slice(0, 16);
}
