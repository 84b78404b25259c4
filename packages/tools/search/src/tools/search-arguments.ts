import { lstatSync } from 'node:fs';
import { textBlock } from '@ravi/kernel';
import type { JsonObject, ToolContext, ToolExecutionResult } from '@ravi/kernel';
import { fileError, linesWithin } from '@ravi/tools-kit';
import type { Workspace } from '@ravi/tools-kit';
import type { SearchEngine, SearchScope } from '../engine/search-engine.ts';
import { compileGlob } from '../glob/glob-pattern.ts';

/** Parts that the tools of this package share. */
export interface SearchParts {
  readonly engine: SearchEngine;
  /** Returns the workspace of a call. */
  readonly workspaceOf: (context: Pick<ToolContext, 'cwd'>) => Workspace;
}

/** Schemas of the arguments that the tools share. */
export const sharedArguments = {
  path: {
    type: 'string',
    minLength: 1,
    maxLength: 4096,
    description: 'File or folder to search, relative to the workspace. Default: the workspace.',
  },
  ignored: { type: 'boolean', description: 'True to include what a .gitignore leaves out. Default: false.' },
  offset: { type: 'integer', minimum: 0, maximum: 1_000_000, description: 'Results to skip. Default: 0.' },
} as const;

/** Schema of one pattern of paths or a list of them. */
export const globArgument = {
  anyOf: [
    { type: 'string', minLength: 1, maxLength: 1000 },
    { type: 'array', items: { type: 'string', minLength: 1, maxLength: 1000 }, minItems: 1, maxItems: 20 },
  ],
} as const;

/** Arguments of {@link scopeOf}. */
export interface ScopeArguments {
  readonly path?: string;
  readonly ignored?: boolean;
}

/**
 * Returns the scope of a search. Links of `path` are followed inside the workspace, so that the engines meet none.
 * @throws KernelError `E_PATH_OUTSIDE`, `E_FILE_NOT_FOUND`, `E_FILE_KIND`, `E_ARGUMENTS_INVALID`
 */
export function scopeOf(
  { workspaceOf }: SearchParts,
  context: ToolContext,
  { path = '.', ignored = false }: ScopeArguments,
  globs?: string | readonly string[],
): SearchScope {
  const workspace = workspaceOf(context);
  using place = workspace.locate(path);
  try {
    lstatSync(place.at());
  } catch (error) {
    throw fileError(path, error);
  }
  return {
    workspace,
    start: place.path,
    ...(globs === undefined ? {} : { globs: [globs].flat().map(compileGlob) }),
    usesGitignore: !ignored,
    signal: context.signal,
  };
}

/** Page of a list of results. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Offset of the next page; absent on the last. */
  readonly nextOffset?: number;
}

/** Place of a {@link Page}. */
export interface PagePlace {
  readonly offset: number;
  readonly limit: number;
  /** Number of all results. */
  readonly total: number;
}

/** Cuts a page out of results, of which those up to its end are enough. */
export function pageOf<Item>(results: readonly Item[], { offset, limit, total }: PagePlace): Page<Item> {
  const items = results.slice(offset, offset + limit);
  return offset + limit < total ? { items, nextOffset: offset + limit } : { items };
}

/** Line at the end of a text for a model, which says what is left out. */
export function pageNote(shown: number, total: string, nextOffset: number | undefined): string {
  return nextOffset === undefined
    ? `${shown} of ${total}`
    : `${shown} of ${total}; the next begin at offset ${nextOffset}`;
}

/** Quotes a path that has characters which would break a line. */
export function shownPath(path: string): string {
  return /[\p{Cc}\p{Zl}\p{Zp}]/u.test(path) ? JSON.stringify(path) : path;
}

const lastLinesBytes = 200;

/** Text of a search. */
export interface SearchText {
  /** Lines for a model; none if nothing was found. */
  readonly lines: readonly string[];
  /** Last line, with the numbers. */
  readonly note: string;
  /** Text if nothing was found. */
  readonly empty: string;
}

/** Makes the result of a search, whose text a model reads as a whole. What is left out is in the value, and the text says so. */
export function searchResult(
  { lines, note, empty }: SearchText,
  structuredContent: JsonObject,
  { maxTextBytes }: Pick<ToolContext, 'maxTextBytes'>,
): ToolExecutionResult {
  const shown = linesWithin(lines, maxTextBytes - lastLinesBytes);
  const isTextCut = shown.length < lines.length;
  const left = `… ${lines.length - shown.length} more lines are left out of this text and are in the value of the result`;
  const text = lines.length === 0 ? empty : [...shown, ...(isTextCut ? [left] : []), note].join('\n');
  return { content: [textBlock(text)], isError: false, structuredContent, isTextCut };
}
