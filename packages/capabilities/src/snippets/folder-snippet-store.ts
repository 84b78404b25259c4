import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256OfJson } from '@ravi/invoker';
import { KernelError, isKernelError, toolNamePattern } from '@ravi/kernel';
import { problemWithSnippet } from '@ravi/support';
import type { JsonValue, Principal, Snippet, SnippetStore } from '@ravi/kernel';
import { isRecord } from '../declarations/definitions.ts';
import { createFile, entriesOf, guarded, readIfThere, removeFolder } from './snippet-files.ts';

/**
 * Creates a store that keeps snippets in a folder, one file per version: `<principal>/<name>/<version>.json`, where the
 * first part is a digest of the principal. A file appears complete or not at all, also when several processes save at
 * once. A crash can leave a file with a `.tmp` name, which is never read.
 */
export function createFolderSnippetStore(folder: string): SnippetStore {
  const folderOf = (principal: Principal, name?: string): string => {
    const owner = folderNameOf(principal);
    return name === undefined ? join(folder, owner) : join(folder, owner, fileNameOf(name));
  };

  async function versions(principal: Principal, name: string): Promise<readonly number[]> {
    if (!toolNamePattern.test(name)) return [];
    return versionsIn(await entriesOf(folderOf(principal, name)));
  }

  return {
    versions,
    async list(principal) {
      const names = (await entriesOf(folderOf(principal))).map(nameOf).toSorted();
      const entries = names.map(async (name) => ({ name, version: (await versions(principal, name)).at(-1) ?? 0 }));
      return (await Promise.all(entries)).filter((entry) => entry.version > 0);
    },
    async get(principal, name, version) {
      const wanted = version ?? (await versions(principal, name)).at(-1);
      if (wanted === undefined || !Number.isSafeInteger(wanted) || !toolNamePattern.test(name)) return undefined;
      const text = await readIfThere(join(folderOf(principal, name), `${wanted}.json`));
      return text === undefined ? undefined : decode(text, { owner: folderNameOf(principal), name, version: wanted });
    },
    async put(draft) {
      const problem = problemWithSnippet(draft);
      if (problem !== undefined) throw new KernelError('E_SNIPPET_INVALID', `A snippet cannot be saved: ${problem}`);
      const target = folderOf(draft.principal, draft.name);
      await guarded(() => mkdir(target, { recursive: true, mode: 0o700 }));
      for (;;) {
        const version = ((await versions(draft.principal, draft.name)).at(-1) ?? 0) + 1;
        const snippet = JSON.parse(JSON.stringify({ ...draft, version })) as Snippet;
        if (await createFile(target, `${version}.json`, encode(snippet))) return snippet;
      }
    },
    async delete(principal, name) {
      if ((await versions(principal, name)).length === 0) return false;
      return removeFolder(folderOf(principal, name));
    },
  };
}

/** One file of a folder of snippets, by its path in the folder: its snippet, or what is wrong with it. */
export type SnippetFile = { readonly path: string } & (
  | { readonly snippet: Snippet; readonly problem?: never }
  | { readonly snippet?: never; readonly problem: string }
);

/**
 * Reads the snippets of all principals in a folder of {@link createFolderSnippetStore}, the versions of a snippet oldest first.
 * @throws KernelError `E_SNIPPET_UNAVAILABLE` if the folder cannot be read
 */
export async function* readSnippetFolder(folder: string): AsyncGenerator<SnippetFile> {
  for (const owner of (await entriesOf(folder)).filter((entry) => /^[0-9a-f]{32}$/.test(entry)).toSorted()) {
    for (const fileName of (await entriesOf(join(folder, owner))).toSorted()) {
      const name = nameOf(fileName);
      if (!toolNamePattern.test(name)) continue;
      for (const version of versionsIn(await entriesOf(join(folder, owner, fileName)))) {
        const path = join(owner, fileName, `${version}.json`);
        const text = (await readIfThere(join(folder, path))) ?? '';
        yield { path, ...read(text, { owner, name, version }) };
      }
    }
  }
}

function read(text: string, place: Place): { readonly snippet: Snippet } | { readonly problem: string } {
  try {
    return { snippet: decode(text, place) };
  } catch (error) {
    if (isKernelError(error, 'E_SNIPPET_CORRUPT')) return { problem: error.message };
    throw error;
  }
}

/** Place of a file: the folder of its principal, the name of its snippet, and its version. */
interface Place {
  readonly owner: string;
  readonly name: string;
  readonly version: number;
}

function folderNameOf(principal: Principal): string {
  return createHash('sha256').update(principal).digest('hex').slice(0, 32);
}

function versionsIn(files: readonly string[]): readonly number[] {
  const found = files.map((file) => Number(/^([1-9]\d{0,8})\.json$/.exec(file)?.[1])).filter((version) => version > 0);
  return found.toSorted((left, right) => left - right);
}

// A file system that ignores case must keep `Mail` and `mail` apart.
function fileNameOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `~${letter.toLowerCase()}`);
}

function nameOf(fileName: string): string {
  return fileName.replaceAll(/~([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function encode(snippet: Snippet): string {
  return `${JSON.stringify({ sha256: sha256OfJson(snippet as unknown as JsonValue), snippet }, undefined, 2)}\n`;
}

function decode(text: string, { owner, name, version }: Place): Snippet {
  const corrupt = (problem: string, cause?: unknown): KernelError =>
    new KernelError('E_SNIPPET_CORRUPT', `Version ${version} of the snippet ${name} is damaged: ${problem}`, { cause });
  let stored: unknown;
  try {
    stored = JSON.parse(text);
  } catch (cause) {
    throw corrupt('its file is not JSON', cause);
  }
  if (!isRecord(stored) || !isRecord(stored['snippet'])) throw corrupt('its file does not contain a snippet');
  if (sha256OfJson(stored['snippet'] as JsonValue) !== stored['sha256']) throw corrupt('its content has changed');
  const snippet = stored['snippet'] as unknown as Snippet;
  const problem = problemWithSnippet(snippet);
  if (problem !== undefined) throw corrupt(problem);
  if (folderNameOf(snippet.principal) !== owner || snippet.name !== name || snippet.version !== version) {
    throw corrupt('its file contains another snippet');
  }
  return snippet;
}
