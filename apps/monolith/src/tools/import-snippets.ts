import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { readSnippetFolder } from '@ravi/capabilities';
import type { Logger, Snippet, SnippetStore } from '@ravi/kernel';

/** Options of {@link importSnippets}. */
export interface ImportSnippetsOptions {
  /** Folder of the snippets of an earlier version, or of a process without a state store. */
  readonly folder: string;
  readonly store: SnippetStore;
  readonly logger: Logger;
}

/**
 * Copies the snippets of a folder into a store, after the versions that the store has, and renames the folder to `<name>-imported`.
 * A version that the store has already is left out, so an import that was cut off can be repeated. Damaged files are logged and
 * left where they are. A failure is logged too; the next start tries again.
 */
export async function importSnippets({ folder, store, logger }: ImportSnippetsOptions): Promise<void> {
  if (!existsSync(folder)) return;
  try {
    let imported = 0;
    for await (const { path, snippet, problem } of readSnippetFolder(folder)) {
      if (snippet === undefined) logger.warn('a damaged snippet was not imported', { path, reason: problem });
      else if (!(await has(store, snippet))) {
        const { version: _, ...draft } = snippet;
        await store.put(draft);
        imported++;
      }
    }
    await rename(folder, freeName(`${folder}-imported`));
    if (imported > 0) logger.info('the snippets of the data folder are in the state store now', { imported });
  } catch (error) {
    logger.error('the snippets of the data folder could not be imported', { error });
  }
}

async function has(store: SnippetStore, { principal, name, code, createdAt, sourceRunId }: Snippet): Promise<boolean> {
  for (const version of await store.versions(principal, name)) {
    // A damaged version in the store says nothing about the one in the folder.
    const stored = await store.get(principal, name, version).catch(() => undefined);
    if (stored?.code === code && stored.createdAt === createdAt && stored.sourceRunId === sourceRunId) return true;
  }
  return false;
}

// A process without a state store may have made a folder again.
function freeName(name: string): string {
  let free = name;
  for (let number = 2; existsSync(free); number++) free = `${name}-${number}`;
  return free;
}
