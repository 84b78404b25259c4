import { KernelError } from '@ravi/kernel';
import { matchesPattern, namesSource, splitToolPattern } from '@ravi/support';
import type { PrefixedPattern } from '@ravi/support';

/** Source whose tools patterns are compared with. */
export interface PatternSource {
  /** First part of the prefix of a pattern, for example `mcp` in `mcp:github/*`. */
  readonly kind: string;
  /** Name of the source. */
  readonly source: string;
}

const maxCharacters = 500;
/** Kinds of sources of this project. With any other first part a pattern is the name of a tool that has these characters. */
const kinds: ReadonlySet<string> = new Set(['mcp', 'openapi']);

/**
 * Returns a predicate over the own names of a source's tools: true if a pattern matches the whole name. `*` stands for any
 * characters. With the prefix `kind:source/`, in which `*` works too, a pattern counts only for these sources.
 * @throws KernelError `E_CONFIG_INVALID` for an empty pattern or one of more than 500 characters
 */
export function createToolMatcher(patterns: readonly string[], of: PatternSource): (tool: string) => boolean {
  return matcherOf(patterns, of, false);
}

function matcherOf(patterns: readonly string[], of: PatternSource, isStrict: boolean): (tool: string) => boolean {
  const ours = patterns.flatMap((pattern) => ownParts(pattern, of, isStrict));
  return (tool) => ours.some((pattern) => matchesPattern(pattern, tool));
}

/** Lists of patterns that choose tools of a source. */
export interface ToolFilterOptions extends PatternSource {
  /** Absent for all tools. */
  readonly allow?: readonly string[] | undefined;
  /** Wins over `allow`. A pattern that looks like one with a prefix also denies tools whose whole name it matches. */
  readonly deny?: readonly string[] | undefined;
}

/** Returns a predicate that is true for the tools that a source offers. @throws KernelError `E_CONFIG_INVALID` as {@link createToolMatcher} */
export function createToolFilter(options: ToolFilterOptions): (tool: string) => boolean {
  const isAllowed = options.allow === undefined ? () => true : createToolMatcher(options.allow, options);
  const isDenied = matcherOf(options.deny ?? [], options, true);
  return (tool) => isAllowed(tool) && !isDenied(tool);
}

/**
 * Returns the texts of a pattern that are compared with tool names: none for a pattern of other sources. A strict reading also has the
 * whole pattern, because a server may give a tool a name that looks like a prefix. Without it such a name would get what was meant for
 * the tools of another source.
 */
export function ownParts(pattern: string, of: PatternSource, isStrict: boolean): readonly string[] {
  if (pattern === '' || pattern.length > maxCharacters) {
    throw new KernelError(
      'E_CONFIG_INVALID',
      `The tool pattern ${JSON.stringify(pattern.slice(0, 80))} of ${of.source} must have 1 to ${maxCharacters} characters`,
    );
  }
  const prefix = prefixOf(pattern, of.kind);
  if (prefix === undefined) return [pattern];
  return [...(namesSource(prefix, of) ? [prefix.name] : []), ...(isStrict ? [pattern] : [])];
}

/** Returns the source that the prefix of a pattern names, if it has the kind of `of` and is another one. */
export function otherSourceOf(pattern: string, of: PatternSource): string | undefined {
  const prefix = prefixOf(pattern, of.kind);
  return prefix === undefined || namesSource(prefix, of) ? undefined : prefix.source;
}

function prefixOf(pattern: string, ownKind: string): PrefixedPattern | undefined {
  const prefix = splitToolPattern(pattern);
  return prefix !== undefined && (prefix.kind === ownKind || kinds.has(prefix.kind)) ? prefix : undefined;
}
