import { lstatSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { isKernelError } from '@ravi/kernel';
import type { Workspace } from '@ravi/tools-kit';
import { walkTree } from '../walk/walk-tree.ts';
import { joinLines } from './file-lines.ts';
import type { MetLine } from './file-lines.ts';
import { compileLinePattern } from './line-regex.ts';
import { isInScope, maxCollected, maxFileBytes } from './search-engine.ts';
import type { FileCount, LineMatch, LineSearch, SearchEngine, SearchScope } from './search-engine.ts';

const turnMs = 20;

/** Creates the engine without a program of its own, for systems that have no ripgrep. Every file is opened by the workspace. */
export function createJavascriptEngine(): SearchEngine {
  return {
    name: 'javascript',
    async files(listing) {
      const paths: string[] = [];
      let total = 0;
      // The walk has the order of the paths.
      for await (const path of filesOf(listing)) if ((total += 1) <= listing.wanted) paths.push(path);
      return { paths, total };
    },
    async lines(search) {
      const matches: LineMatch[] = [];
      for await (const { path, lines } of searchFiles(search, search.contextLines)) {
        matches.push(...joinLines(path, lines, search.contextLines));
        if (matches.length > Math.max(maxCollected, search.wanted)) return { matches, isComplete: false };
      }
      return { matches, isComplete: true };
    },
    async counts(search) {
      const counts: FileCount[] = [];
      for await (const { path, lines } of searchFiles(search, 0)) counts.push({ path, count: lines.length });
      return counts;
    },
  };
}

async function* filesOf(scope: SearchScope): AsyncGenerator<string, void> {
  const { workspace, start, signal } = scope;
  if (isFile(workspace, start)) {
    yield start;
    return;
  }
  for await (const entry of walkTree(workspace, { start, usesGitignore: scope.usesGitignore, signal })) {
    if (entry.kind === 'file' && isInScope(scope, entry.path)) yield entry.path;
  }
}

function isFile(workspace: Workspace, path: string): boolean {
  using place = workspace.locate(path, { followLast: false });
  return lstatSync(place.at()).isFile();
}

async function* searchFiles(
  search: Pick<LineSearch, 'pattern' | keyof SearchScope>,
  contextLines: number,
): AsyncGenerator<{ readonly path: string; readonly lines: readonly MetLine[] }, void> {
  const pattern = compileLinePattern(search.pattern);
  const turns = createTurns(search.signal);
  for await (const path of filesOf(search)) {
    const text = await readText(search.workspace, path);
    if (text === undefined) continue;
    const lines = splitLines(text);
    const isMatch: boolean[] = [];
    for (const line of lines) {
      isMatch.push(pattern.test(line));
      await turns();
    }
    const met = lines.flatMap((line, index): MetLine[] =>
      isNear(isMatch, index, contextLines) ? [{ line: index + 1, text: line, isMatch: isMatch[index] === true }] : [],
    );
    if (met.length > 0) yield { path, lines: met };
  }
}

function isNear(isMatch: readonly boolean[], index: number, distance: number): boolean {
  for (let at = Math.max(0, index - distance); at <= index + distance; at += 1) if (isMatch[at] === true) return true;
  return false;
}

// Gives other work a turn once the time of this one is over.
function createTurns(signal: AbortSignal): () => Promise<void> | undefined {
  let end = performance.now() + turnMs;
  return () => {
    if (performance.now() < end) return undefined;
    signal.throwIfAborted();
    return setImmediate().then(() => {
      end = performance.now() + turnMs;
    });
  };
}

// `undefined` for a binary file, one that is too large, and one that was removed or may not be read.
async function readText(workspace: Workspace, path: string): Promise<string | undefined> {
  try {
    const file = await workspace.openFile(path);
    try {
      const { size } = await file.stat();
      if (size > maxFileBytes) return undefined;
      const text = decode(await file.readFile());
      return text.includes('\0') ? undefined : text;
    } finally {
      await file.close();
    }
  } catch (error) {
    if (isKernelError(error)) return undefined;
    throw error;
  }
}

function decode(bytes: Buffer): string {
  const label =
    bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8';
  return new TextDecoder(label).decode(bytes);
}

function splitLines(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
