import { posix } from 'node:path';
import { targetOf } from './links.ts';
import { exists, read } from './repository.ts';

const page = 'docs/reference/concepts.md';

/** Tests below these folders may use a server, the command line or a browser as users do. */
const entries = /^(?:apps\/(?:monolith|console)|packages\/cli|examples\/(?:support-desk|coding-agent))\/test\//;

/** Calls that open a server or a command line, or start a process of one. */
const starts = /\b(?:openMonolith|runCommandLine|spawn)\(/;

/** One concept of the page. */
export interface Concept {
  readonly concept: string;
  readonly aliases: readonly string[];
  /** Name in this project, as Markdown. */
  readonly name: string;
  /** Markdown link to the page that explains it. */
  readonly shownOn: string;
  /** Markdown link to a test, whose text is the name of the test. */
  readonly test: string;
}

/** Returns the rows of the page. A cell that a row does not have is empty. */
export function conceptsOf(text: string): readonly Concept[] {
  return text.split('\n').flatMap((line) => {
    if (!line.startsWith('|')) return [];
    const cells = line.slice(1, -1).split(/(?<!\\)\|/);
    const [concept = '', aliases = '', name = '', shownOn = '', test = ''] = cells.map((cell) => cell.trim());
    if (concept === 'concept' || concept.startsWith('---')) return [];
    return [{ concept, aliases: aliases.split('; ').filter(Boolean), name, shownOn, test }];
  });
}

/**
 * Returns one line for each row that has an empty cell, repeats a concept or another name of one, names a page that does not mention
 * it, or names a test that does not exist or uses no server.
 */
export function conceptProblems(text: string = read(page)): readonly string[] {
  const seen = new Map<string, string>();
  return conceptsOf(text).flatMap((row) => {
    const { concept, aliases, name, shownOn, test } = row;
    const isComplete = aliases.length > 0 && [concept, name, shownOn, test].every((cell) => cell !== '');
    const problems = isComplete ? [...pageProblems(row), ...testProblems(row)] : ['has an empty cell'];
    for (const word of [`concept ${concept}`, ...aliases]) {
      const other = seen.get(word);
      if (other !== undefined) problems.push(`repeats ${word} of “${other}”`);
      seen.set(word, concept);
    }
    return problems.map((problem) => `${page}: “${concept}” ${problem}`);
  });
}

function pageProblems({ name, shownOn }: Concept): readonly string[] {
  const [, path] = linkOf(shownOn);
  if (path === undefined || !exists(path)) return [`names the page ${shownOn}, which does not exist`];
  return plain(read(path)).includes(plain(name)) ? [] : [`is on ${path}, which does not mention ${name}`];
}

function testProblems({ test }: Concept): readonly string[] {
  const [title, path] = linkOf(test);
  if (path === undefined || !exists(path)) return [`names the test ${test}, which does not exist`];
  const problems = entries.test(path) && startsServer(path) ? [] : [`names a test in ${path}, which uses no server`];
  return hasTest(read(path), title) ? problems : [...problems, `names “${title}”, which is not a test of ${path}`];
}

// The title is the first argument of a call, perhaps with more words in parentheses at its end.
function hasTest(text: string, title: string): boolean {
  const quoted = title.replaceAll(/[$()*+.?[\]^{|}\\]/g, '\\$&');
  return new RegExp(`\\(\\s*(['"\`])${quoted}(?: \\([^\\n]+\\))?\\1,`).test(text);
}

// In the file itself, or in a file next to it that it imports.
function startsServer(path: string, seen: Set<string> = new Set()): boolean {
  if (seen.has(path) || !exists(path)) return false;
  seen.add(path);
  const text = read(path);
  const imports = Array.from(text.matchAll(/ from '(\.[^']+)'/g), ([, file = '']) => file);
  const helpers = imports.map((file) => posix.join(posix.dirname(path), file)).filter((file) => entries.test(file));
  return starts.test(text) || helpers.some((file) => startsServer(file, seen));
}

function linkOf(markdown: string): readonly [text: string, path: string | undefined] {
  const [, text = '', href = ''] = /^\[(.+)\]\(([^)]+)\)$/.exec(markdown) ?? [];
  return [text, targetOf(page, href)?.path];
}

// Without marks of Markdown, line breaks and case.
function plain(markdown: string): string {
  return markdown
    .replaceAll(/\]\([^)]*\)|[[*`\\]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .toLowerCase();
}
