import { closeSync, constants, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import type { Dirent } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { isKernelError } from '@ravi/kernel';
import type { Workspace } from '@ravi/tools-kit';
import { countTests, isIgnored, readIgnoreRules } from './ignore-rules.ts';
import type { IgnoreRules } from './ignore-rules.ts';

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants;
const maxIgnoreBytes = 1_048_576;
const maxTests = 20_000;
const foldersPerTurn = 50;
const testsPerTurn = 10_000;

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
  const first: Folder = { path: start, depth: 1, rules: usesGitignore ? rulesAbove(workspace, start) : [] };
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
  const text = readSmall(() => {
    using place = workspace.locate(folder.path === '.' ? '.gitignore' : `${folder.path}/.gitignore`);
    return readAt(place.at());
  });
  return withRules(folder.rules, readIgnoreRules(text, folder.path === '.' ? '' : `${folder.path}/`));
}

// Each entry is compared with all rules: of files with too many together, those of the outer folders count.
function withRules(outer: readonly IgnoreRules[], own: IgnoreRules): readonly IgnoreRules[] {
  const rules = [...outer, own];
  return countTests(rules) > maxTests ? outer : rules;
}

// Also those above the root of the workspace, which is often a folder of a repository.
function rulesAbove(workspace: Workspace, start: string): readonly IgnoreRules[] {
  const rules: IgnoreRules[] = [];
  let folder = join(workspace.root, start);
  while (dirname(folder) !== folder) {
    folder = dirname(folder);
    const inside = relative(workspace.root, folder);
    const text = readSmall(() => readAt(join(folder, '.gitignore')));
    if (text === '') continue;
    if (inside === '') rules.push(readIgnoreRules(text, ''));
    else if (inside.startsWith('..')) rules.push(readIgnoreRules(text, '', `${relative(folder, workspace.root)}/`));
    else rules.push(readIgnoreRules(text, `${inside}/`));
  }
  return rules.toReversed().reduce<readonly IgnoreRules[]>(withRules, []);
}

function readAt(path: string): string {
  const handle = openSync(path, O_RDONLY | O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const buffer = Buffer.alloc(Math.min(fstatSync(handle).size, maxIgnoreBytes));
    return buffer.toString('utf8', 0, readSync(handle, buffer));
  } finally {
    closeSync(handle);
  }
}

function readSmall(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
