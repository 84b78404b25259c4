import type { Workspace } from '@ravi/tools-kit';
import type { GlobPattern } from '../glob/glob-pattern.ts';

/** Part of a workspace that a search reads. */
export interface SearchScope {
  readonly workspace: Workspace;
  /** Path of a file or folder without links, relative to the root of the workspace; `.` for all of it. */
  readonly start: string;
  /** Patterns of the paths, relative to the root of the workspace; any of them is enough. Absent: all. */
  readonly globs?: readonly GlobPattern[];
  /** False to read what a `.gitignore` leaves out. */
  readonly usesGitignore: boolean;
  readonly signal: AbortSignal;
}

/** Listing of files. */
export interface FileListing extends SearchScope {
  /** Number of paths that are needed, from the first in their order. */
  readonly wanted: number;
}

/** Files of a {@link FileListing}. */
export interface FileList {
  /** The first paths in their order: as many as were wanted, if there are. */
  readonly paths: readonly string[];
  /** Number of all files that the scope includes. */
  readonly total: number;
}

/** Pattern of lines, which was checked before. */
export interface LinePattern {
  /** Regular expression in the syntax of RE2, or the text itself. */
  readonly text: string;
  readonly isLiteral: boolean;
  readonly ignoresCase: boolean;
  readonly isWholeWord: boolean;
}

/** Search for lines. */
export interface LineSearch extends SearchScope {
  readonly pattern: LinePattern;
  /** Lines before and after each match. */
  readonly contextLines: number;
  /** Number of matches that are needed, from the first in the order of the paths. A search may return more, never fewer. */
  readonly wanted: number;
}

/** Line of a file that matches. */
export interface LineMatch {
  readonly path: string;
  /** Number of the line, from 1. */
  readonly line: number;
  readonly text: string;
  readonly before?: readonly string[];
  readonly after?: readonly string[];
}

/** Matches of a search. */
export interface LineMatches {
  /** In the order of paths and lines; at least as many as were wanted, if there are. */
  readonly matches: readonly LineMatch[];
  /** False if there may be more matches than these. */
  readonly isComplete: boolean;
}

/** Number of matching lines of a file. */
export interface FileCount {
  readonly path: string;
  readonly count: number;
}

/**
 * Engine that lists and searches files. Both engines of this package give the same results: `.git`, links, files above 64 MiB and files
 * with a NUL byte are left out; paths are relative to the root of the workspace, in the order of their parts.
 */
export interface SearchEngine {
  readonly name: 'ripgrep' | 'javascript';
  /** Lists files. Rejects with the reason of the signal. */
  files(listing: FileListing): Promise<FileList>;
  /** Finds matching lines. @throws KernelError `E_ARGUMENTS_INVALID` for a pattern that the engine cannot use */
  lines(search: LineSearch): Promise<LineMatches>;
  /** Counts the matching lines of each file that has some. @throws as `lines` */
  counts(search: Omit<LineSearch, 'contextLines' | 'wanted'>): Promise<readonly FileCount[]>;
}

/** Files above this size are not searched. */
export const maxFileBytes = 67_108_864;

/** Matches that are collected before a search is limited to those that are wanted. */
export const maxCollected = 10_000;

/** Returns true if the scope includes the path. */
export function isInScope({ globs }: SearchScope, path: string): boolean {
  return globs === undefined || globs.some((glob) => glob.matches(path));
}
