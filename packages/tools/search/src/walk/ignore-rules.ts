import { compileParts } from '../glob/glob-pattern.ts';

interface IgnoreRule {
  readonly isNegated: boolean;
  readonly foldersOnly: boolean;
  readonly tests: number;
  readonly matches: (path: string) => boolean;
}

/** Rules of one `.gitignore`. */
export interface IgnoreRules {
  /** Folder of the file, relative to the root of the walk: `''`, or a path that ends with a slash. Absent for a folder above the root. */
  readonly folder: string;
  /** Path from the folder of the file to the root of the walk, for one above it: empty, or a path that ends with a slash. */
  readonly above: string;
  readonly rules: readonly IgnoreRule[];
}

const maxRules = 1000;
// A rule has to be compared with each entry: long ones cost as much as many.
const maxRuleLength = 256;
const charactersPerTest = 16;

/** Reads the text of a `.gitignore` (gitignore(5)). Lines after the first 1 000, and those above 256 characters, are left out. */
export function readIgnoreRules(text: string, folder: string, above = ''): IgnoreRules {
  const lines = text.replace(/^\uFEFF/u, '').split(/\r?\n/u, maxRules);
  return { folder, above, rules: lines.flatMap((line) => readRule(line) ?? []) };
}

function readRule(line: string): IgnoreRule | undefined {
  const trimmed = trimEnd(line);
  if (trimmed === '' || trimmed.length > maxRuleLength || trimmed.startsWith('#')) return undefined;
  const isNegated = trimmed.startsWith('!');
  const pattern = isNegated ? trimmed.slice(1) : trimmed;
  const foldersOnly = pattern.endsWith('/');
  const body = foldersOnly ? pattern.slice(0, -1) : pattern;
  const parts = body.split('/').filter((part, index) => part !== '' || index > 0);
  if (parts.length === 0 || parts.some((part) => part === '')) return undefined;
  const tests = Math.ceil(body.length / charactersPerTest);
  return { isNegated, foldersOnly, tests, matches: compileParts(body.includes('/') ? parts : ['**', ...parts]) };
}

// Spaces at the end do not count, unless a backslash is before the last one that is meant.
function trimEnd(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === ' ' && line[end - 2] !== '\\') end -= 1;
  return line.slice(0, end);
}

/** Returns the most tests that {@link isIgnored} makes for an entry. A rule counts as one test for every 16 characters. */
export function countTests(files: readonly IgnoreRules[]): number {
  return files.reduce((sum, { rules }) => rules.reduce((all, { tests }) => all + tests, sum), 0);
}

/** Returns true if the rules, of the outermost folder first, leave out the entry. The last rule that matches decides. */
export function isIgnored(files: readonly IgnoreRules[], path: string, isFolder: boolean): boolean {
  for (const { folder, above, rules } of files.toReversed()) {
    const own = `${above}${path.slice(folder.length)}`;
    const rule = rules.findLast(({ foldersOnly, matches }) => (isFolder || !foldersOnly) && matches(own));
    if (rule !== undefined) return !rule.isNegated;
  }
  return false;
}
