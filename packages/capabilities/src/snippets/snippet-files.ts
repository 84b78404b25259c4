import { randomUUID } from 'node:crypto';
import { link, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { KernelError } from '@ravi/kernel';

/** Creates a complete file on the medium; `false` when there is one of this name already. */
export async function createFile(folder: string, name: string, text: string): Promise<boolean> {
  const temporary = join(folder, `${randomUUID()}.tmp`);
  return guarded(async () => {
    try {
      await writeDurably(temporary, text);
      // Unlike a rename, a link never replaces what is there.
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
  // Windows opens no folder as a file, and its file system journals names by itself.
  if (process.platform === 'win32') return;
  await using handle = await open(folder, 'r');
  await handle.sync();
}

/** Names in a folder; none when there is no such folder. */
export async function entriesOf(folder: string): Promise<readonly string[]> {
  return (await absentWhenMissing(() => readdir(folder))) ?? [];
}

/** The text of a file; `undefined` when there is no such file. */
export function readIfThere(path: string): Promise<string | undefined> {
  return absentWhenMissing(() => readFile(path, 'utf8'));
}

/** Removes a folder with everything in it, as a whole; `false` when there is none. */
export async function removeFolder(folder: string): Promise<boolean> {
  const parent = dirname(folder);
  // A name that no snippet can have, so that nobody meets a half of it.
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

/** Does work on the medium; its faults become `E_SNIPPET_UNAVAILABLE`. */
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
