import { KernelError } from '@ravi/kernel';
import { compileSegment } from './segment.ts';
import type { SegmentTest } from './segment.ts';

const maxPatternLength = 1000;
const maxAlternatives = 100;

/** Compiled pattern of paths. */
export interface GlobPattern {
  /** Returns true for a path with `/` between its parts that the pattern matches as a whole. */
  matches(path: string): boolean;
  /** Patterns of the last part, in plain characters, `*` and `?`: each matching path has one of them. Absent if any name can match. */
  readonly names: readonly string[] | undefined;
  /** True if every path whose last part has one of the `names`, in any folder, matches. */
  readonly areNamesEnough: boolean;
}

/**
 * Compiles a pattern of paths. `*` and `?` do not match a slash, `**` matches any number of folders, `{a,b}` one of its parts. A
 * pattern without a slash matches names in every folder. Matching takes linear time in the number of parts and never backtracks further
 * than one star, so that no pattern can block the process.
 * @throws KernelError `E_ARGUMENTS_INVALID` for an empty pattern, one above 1 000 characters, or one with more than 100 alternatives
 */
export function compileGlob(pattern: string): GlobPattern {
  if (pattern === '') throw invalid(pattern, 'is empty');
  if (pattern.length > maxPatternLength) throw invalid(pattern, `has more than ${maxPatternLength} characters`);
  if (pattern.includes('\0')) throw invalid(pattern, 'has a NUL character');
  const alternatives = expandBraces(pattern).map(partsOf);
  const tests = alternatives.map(compileParts);
  const names = alternatives.map((parts) => parts.at(-1) ?? '');
  const arePlain = names.every((name) => name !== '**' && /^[A-Za-z0-9_.*?-]+$/u.test(name));
  const isOfNames = alternatives.every((parts) => parts.length === 2 && parts[0] === '**');
  return {
    matches: (path) => tests.some((test) => test(path)),
    names: arePlain ? names : undefined,
    // Engines differ in what one character is, which `?` matches.
    areNamesEnough: arePlain && isOfNames && names.every((name) => !name.includes('?')),
  };
}

function invalid(pattern: string, reason: string): KernelError {
  const shown = JSON.stringify(pattern.length > 200 ? `${pattern.slice(0, 199)}…` : pattern);
  return new KernelError('E_ARGUMENTS_INVALID', `The pattern ${shown} ${reason}`, { hadNoEffect: true });
}

function partsOf(pattern: string): readonly string[] {
  const isNameOnly = !pattern.replace(/\/$/u, '').includes('/');
  const parts = pattern.split('/').filter((part) => part !== '' && part !== '.');
  if (pattern.endsWith('/')) parts.push('**');
  return isNameOnly ? ['**', ...parts] : parts;
}

/** Compiles the parts of a pattern, the texts between its slashes, to a test of whole paths. */
export function compileParts(parts: readonly string[]): (path: string) => boolean {
  const [first, last] = parts;
  if (parts.length === 2 && first === '**' && last !== undefined && last !== '**') {
    const test = compileSegment(last);
    return (path) => test(path.slice(path.lastIndexOf('/') + 1));
  }
  const tests = parts.map((part) => (part === '**' ? undefined : compileSegment(part)));
  return (path) => matchesParts(tests, path.split('/'));
}

// `undefined` is `**`. As in a part, only the last `**` is tried again with more.
function matchesParts(tests: readonly (SegmentTest | undefined)[], parts: readonly string[]): boolean {
  let test = 0;
  let at = 0;
  let deep = -1;
  let tried = 0;
  while (at < parts.length) {
    const next = tests[test];
    if (test < tests.length && next === undefined) {
      deep = test;
      tried = at;
      test += 1;
      // At the end `**` needs something to match: `src/**` is what is in `src`.
      if (test === tests.length) return true;
    } else if (next?.(parts[at] as string) === true) {
      test += 1;
      at += 1;
    } else if (deep !== -1) {
      test = deep + 1;
      tried += 1;
      at = tried;
    } else return false;
  }
  return test === tests.length;
}

function expandBraces(pattern: string): readonly string[] {
  const done: string[] = [];
  const open = [pattern];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const group = firstGroup(next);
    if (group === undefined) done.push(next);
    else open.push(...group.alternatives.map((each) => `${group.before}${each}${group.after}`));
    if (done.length + open.length > maxAlternatives) {
      throw invalid(pattern, `has more than ${maxAlternatives} alternatives in braces`);
    }
  }
  return done;
}

interface Group {
  readonly before: string;
  readonly alternatives: readonly string[];
  readonly after: string;
}

// The first innermost pair of braces that has a comma.
function firstGroup(pattern: string): Group | undefined {
  let start = -1;
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern[at];
    if (character === '\\') at += 1;
    else if (character === '{') start = at;
    else if (character === '}' && start !== -1) {
      const body = pattern.slice(start + 1, at);
      if (body.includes(',')) {
        return { before: pattern.slice(0, start), alternatives: body.split(','), after: pattern.slice(at + 1) };
      }
      start = -1;
    }
  }
  return undefined;
}
