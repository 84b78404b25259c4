import type { Dirent, Stats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Workspace } from '@ravi/tools-kit';
import { uriOf } from '../text/workspace-uri.ts';

const maxFiles = 20_000;
const leftOut = new Set(['node_modules', '.git', '.venv', '__pycache__']);
const configurations = new Set([
  'package.json',
  'tsconfig.json',
  'jsconfig.json',
  'pyrightconfig.json',
  'pyproject.toml',
]);
const kinds = { created: 1, changed: 2, deleted: 3 } as const;

/** Change of a file, as the protocol reports it. */
export interface FileChange {
  readonly uri: string;
  readonly type: (typeof kinds)[keyof typeof kinds];
}

/** Files of a language in a workspace, compared at each request, because a server knows only the open documents for certain. */
export class ChangedFiles {
  readonly #workspace: Workspace;
  readonly #extensions: readonly string[];
  #before: ReadonlyMap<string, string> | undefined;
  #takenAt = 0;

  constructor(workspace: Workspace, extensions: readonly string[]) {
    this.#workspace = workspace;
    this.#extensions = extensions;
  }

  /** Returns what has changed since the last call; nothing at the first one. Looks at 20 000 files at most. */
  async take(): Promise<readonly FileChange[]> {
    this.#takenAt = Date.now();
    const now = await this.#scan();
    const before = this.#before;
    this.#before = now;
    if (before === undefined) return [];
    const changes: FileChange[] = [];
    const add = (path: string, type: FileChange['type']): void =>
      void changes.push({ uri: uriOf(this.#workspace, path), type });
    for (const [path, state] of now) {
      const known = before.get(path);
      if (known === undefined) add(path, kinds.created);
      else if (known !== state) add(path, kinds.changed);
    }
    for (const path of before.keys()) if (!now.has(path)) add(path, kinds.deleted);
    return changes;
  }

  /** True for a file that has not changed since {@link ChangedFiles.take}, so that a server knows it as it is. */
  async isUnchanged(path: string): Promise<boolean> {
    const stats = await lstat(join(this.#workspace.root, path)).catch(() => undefined);
    if (stats === undefined) return false;
    const known = this.#before?.get(path);
    // A file that was not looked at: only its time says something.
    return known === undefined ? stats.ctimeMs < this.#takenAt : known === stateOf(stats);
  }

  async #scan(): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    const folders = ['.'];
    for (let folder = folders.pop(); folder !== undefined && found.size < maxFiles; folder = folders.pop()) {
      for (const entry of await listed(join(this.#workspace.root, folder))) {
        const path = folder === '.' ? entry.name : `${folder}/${entry.name}`;
        if (entry.isDirectory() && !leftOut.has(entry.name)) folders.push(path);
        if (!entry.isFile() || !this.#counts(entry.name)) continue;
        const stats = await lstat(join(this.#workspace.root, path)).catch(() => undefined);
        if (stats !== undefined) found.set(path, stateOf(stats));
      }
    }
    return found;
  }

  #counts(name: string): boolean {
    return configurations.has(name) || this.#extensions.some((extension) => name.endsWith(extension));
  }
}

function stateOf({ mtimeMs, ctimeMs, size, ino }: Stats): string {
  return `${mtimeMs} ${ctimeMs} ${size} ${ino}`;
}

async function listed(folder: string): Promise<Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch(() => []);
}
