import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createMemoryLogger } from '@ravi/testkit';
import { openWorkspace } from '@ravi/tools-kit';
import type { Workspace } from '@ravi/tools-kit';
import { openEngine } from '../src/engine/open-engine.ts';
import type { SearchEngine, SearchScope } from '../src/engine/search-engine.ts';
import { compileGlob } from '../src/glob/glob-pattern.ts';

/** A folder with a workspace `inside` and a file next to it. */
export interface SearchTree extends Disposable {
  readonly base: string;
  readonly workspace: Workspace;
  /** Writes files below the workspace. */
  write(files: Readonly<Record<string, string | Buffer>>): void;
  /** Makes a link below the workspace. */
  link(target: string, path: string): void;
}

export function createSearchTree(): SearchTree {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'ravi-search-')));
  mkdirSync(join(base, 'inside'));
  writeFileSync(join(base, 'secret.txt'), 'needle outside');
  return {
    base,
    workspace: openWorkspace(join(base, 'inside')),
    write(files) {
      for (const [path, content] of Object.entries(files)) {
        mkdirSync(dirname(join(base, 'inside', path)), { recursive: true });
        writeFileSync(join(base, 'inside', path), content);
      }
    },
    link: (target, path) => symlinkSync(target, join(base, 'inside', path)),
    [Symbol.dispose]: () => rmSync(base, { recursive: true, force: true }),
  };
}

export const engines: readonly SearchEngine[] = [
  await openEngine('ripgrep', createMemoryLogger()),
  await openEngine('javascript', createMemoryLogger()),
];

export function scopeOf(tree: SearchTree, globs?: readonly string[], more: Partial<SearchScope> = {}): SearchScope {
  return {
    workspace: tree.workspace,
    start: '.',
    usesGitignore: true,
    signal: new AbortController().signal,
    ...(globs === undefined ? {} : { globs: globs.map(compileGlob) }),
    ...more,
  };
}
