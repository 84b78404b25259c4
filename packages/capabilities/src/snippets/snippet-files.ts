import { randomUUID } from 'node:crypto';
import { link, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { KernelError } from '@ravi/kernel';

/** Creates a complete file on disk; returns false if a file of this name exists. */
export async function createFile(folder: string, name: string, text: string): Promise<boolean> {
  const temporary = join(folder, `${randomUUID()}.tmp`);
  return guarded(async () => {
    try {
      await writeDurably(temporary, text);
      // Unlike a rename, a link never replaces an existing file.
      await link(temporary, join(folder, name));
    } catch (error) {
      if (isSystemError(error, 'EEXIST')) return false;
      throw error;
    } finally {
      await rm(temporary, { force: true });
    }
    await syncFolder(folder);
    return true;
  });
}

async function writeDurably(path: string, text: string): Promise<void> {
  await using file = await open(path, 'wx', 0o600);
  await file.writeFile(text);
  await file.sync();
}

async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open a folder as a file, and its file system journals names on its own.
  if (process.platform === 'win32') return;
  await using handle = await open(folder, 'r');
  await handle.sync();
}

/** Returns the names in a folder; empty if there is no such folder. */
export async function entriesOf(folder: string): Promise<readonly string[]> {
  return (await absentWhenMissing(() => readdir(folder))) ?? [];
}

/** Returns the text of a file; `undefined` if there is no such file. */
export function readIfThere(path: string): Promise<string | undefined> {
  return absentWhenMissing(() => readFile(path, 'utf8'));
}

/** Removes a folder and its content as a whole; returns false if there is no such folder. */
export async function removeFolder(folder: string): Promise<boolean> {
  const parent = dirname(folder);
  // A name that a snippet cannot have, so that a half-removed folder is never read.
  const removed = join(parent, `.${randomUUID()}.tmp`);
  const isMine = await absentWhenMissing(() => rename(folder, removed).then(() => true));
  if (isMine === undefined) return false;
  await guarded(async () => {
    await syncFolder(parent);
    await rm(removed, { recursive: true, force: true });
  });
  return true;
}

function absentWhenMissing<Value>(read: () => Promise<Value>): Promise<Value | undefined> {
  return guarded(() =>
    read().catch((error: unknown) => {
      if (isSystemError(error, 'ENOENT')) return undefined;
      throw error;
    }),
  );
}

/** Runs file operations; converts their errors to `E_SNIPPET_UNAVAILABLE`. */
export async function guarded<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown fault';
    throw new KernelError('E_SNIPPET_UNAVAILABLE', `The folder of the snippets cannot be used (${code})`, { cause });
  }
}

function isSystemError(error: unknown, code: string): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === code;
}
