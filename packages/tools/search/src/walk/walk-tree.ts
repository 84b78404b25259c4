import { closeSync, constants, openSync, readdirSync } from 'node:fs';
import type { Dirent } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { isKernelError } from '@ravi/kernel';
import type { Workspace } from '@ravi/tools-kit';
import { readRulesAbove, readRulesIn } from './ignore-files.ts';
import { countTests, isIgnored } from './ignore-rules.ts';
import type { IgnoreRules } from './ignore-rules.ts';

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants;
const maxTests = 20_000;
const foldersPerTurn = 50;
const testsPerTurn = 10_000;
const none: readonly IgnoreRules[] = [];

/** Entry of a folder. Links are listed and not followed. */
export interface TreeEntry {
  /** Path from the root of the workspace, with `/` between its parts. */
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
}

/** Options of {@link walkTree}. */
export interface TreeOptions {
  /** Folder to begin with, without links; `.` for the workspace. */
  readonly start: string;
  /** False to list what a `.gitignore` leaves out. */
  readonly usesGitignore: boolean;
  /** Folders below `start` that are entered; 1 lists `start` alone. Default: all. */
  readonly maxDepth?: number;
  /** Ends the walk at the next folder, or earlier in a folder with many entries and rules. */
  readonly signal?: AbortSignal;
}

interface Folder {
  readonly path: string;
  readonly depth: number;
  readonly rules: readonly IgnoreRules[];
}

/**
 * Lists what is below a folder, in the order of the paths, part by part. `.git` is left out, and so is a folder that may not be read. Each
 * folder is opened by the workspace and never through a link. Gives other work a turn after every 50 folders
 * and after every 10 000 tests of rules of a `.gitignore`.
 * @throws the reason of `signal`
 */
export async function* walkTree(workspace: Workspace, options: TreeOptions): AsyncGenerator<TreeEntry, void> {
  const { start, usesGitignore, maxDepth = Infinity, signal } = options;
  const first: Folder = {
    path: start,
    depth: 1,
    rules: usesGitignore ? readRulesAbove(workspace, start).reduce(withRules, none) : [],
  };
  const open: (TreeEntry | Folder)[] = [first];
  let folders = 0;
  let tests = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (!('depth' in next)) {
      yield next;
      continue;
    }
    folders += 1;
    if (folders % foldersPerTurn === 0) await setImmediate();
    signal?.throwIfAborted();
    const found: (TreeEntry | Folder)[] = [];
    const entries = readFolder(workspace, next.path);
    const rules = usesGitignore ? rulesWithin(workspace, next, entries) : [];
    const testsPerEntry = countTests(rules);
    for (const entry of entries) {
      tests += testsPerEntry;
      if (tests >= testsPerTurn) {
        tests = 0;
        await setImmediate();
        signal?.throwIfAborted();
      }
      if (entry.name === '.git') continue;
      const path = next.path === '.' ? entry.name : `${next.path}/${entry.name}`;
      const kind = kindOf(entry);
      if (isIgnored(rules, path, kind === 'folder')) continue;
      found.push({ path, kind });
      if (kind === 'folder' && next.depth < maxDepth) found.push({ path, depth: next.depth + 1, rules });
    }
    open.push(...found.toReversed());
  }
}

function kindOf(entry: Dirent): TreeEntry['kind'] {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  return entry.isSymbolicLink() ? 'link' : 'other';
}

function readFolder(workspace: Workspace, path: string): readonly Dirent[] {
  try {
    using place = workspace.locate(path, { followLast: false });
    const handle = openSync(place.at(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    try {
      const folder = process.platform === 'linux' ? `/proc/self/fd/${handle}` : place.at();
      return readdirSync(folder, { withFileTypes: true }).toSorted((left, right) => (left.name < right.name ? -1 : 1));
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    // It was removed or replaced meanwhile, or may not be read: the others are still of use.
    if (isKernelError(error) || 'code' in (error as object)) return [];
    throw error;
  }
}

function rulesWithin(workspace: Workspace, folder: Folder, entries: readonly Dirent[]): readonly IgnoreRules[] {
  if (!entries.some((entry) => entry.name === '.gitignore' && entry.isFile())) return folder.rules;
  return withRules(folder.rules, readRulesIn(workspace, folder.path));
}

// Each entry is compared with all rules: of files with too many together, those of the outer folders count.
function withRules(outer: readonly IgnoreRules[], own: IgnoreRules): readonly IgnoreRules[] {
  const rules = [...outer, own];
  return countTests(rules) > maxTests ? outer : rules;
}
