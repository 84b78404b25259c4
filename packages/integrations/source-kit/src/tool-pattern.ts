import { KernelError } from '@ravi/kernel';

/** Source whose tools patterns are compared with. */
export interface PatternSource {
  /** First part of the prefix of a pattern, for example `mcp` in `mcp:github/*`. */
  readonly kind: string;
  /** Name of the source. */
  readonly source: string;
}

const prefixed = /^([a-z][a-z0-9-]*):([^/]*)\/(.*)$/s;
const maxCharacters = 500;

/**
 * Returns a predicate over the own names of a source's tools: true if a pattern matches the whole name. `*` stands for any
 * characters. With the prefix `kind:source/`, in which `*` works too, a pattern counts only for these sources.
 * @throws KernelError `E_CONFIG_INVALID` for an empty pattern or one of more than 500 characters
 */
export function createToolMatcher(patterns: readonly string[], of: PatternSource): (tool: string) => boolean {
  const ours = patterns.flatMap((pattern) => {
    const own = ownPart(pattern, of);
    return own === undefined ? [] : [own];
  });
  return (tool) => ours.some((pattern) => matches(pattern, tool));
}

/** Lists of patterns that choose tools of a source. */
export interface ToolFilterOptions extends PatternSource {
  /** Absent for all tools. */
  readonly allow?: readonly string[] | undefined;
  /** Wins over `allow`. */
  readonly deny?: readonly string[] | undefined;
}

/** Returns a predicate that is true for the tools that a source offers. @throws KernelError `E_CONFIG_INVALID` as {@link createToolMatcher} */
export function createToolFilter(options: ToolFilterOptions): (tool: string) => boolean {
  const isAllowed = options.allow === undefined ? () => true : createToolMatcher(options.allow, options);
  const isDenied = createToolMatcher(options.deny ?? [], options);
  return (tool) => isAllowed(tool) && !isDenied(tool);
}

/** Returns the part of a pattern that is compared with tool names; `undefined` for a pattern of other sources. */
export function ownPart(pattern: string, { kind, source }: PatternSource): string | undefined {
  if (pattern === '' || pattern.length > maxCharacters) {
    throw new KernelError(
      'E_CONFIG_INVALID',
      `The tool pattern ${JSON.stringify(pattern.slice(0, 80))} of ${source} must have 1 to ${maxCharacters} characters`,
    );
  }
  const [, patternKind, patternSource = '', rest] = prefixed.exec(pattern) ?? [];
  if (patternKind === undefined) return pattern;
  return patternKind === kind && matches(patternSource, source) ? rest : undefined;
}

/** Compares without a regular expression: the time is at most the product of both lengths, for any name. */
export function matches(pattern: string, text: string): boolean {
  let at = 0;
  let inPattern = 0;
  let star = -1;
  let resumeAt = 0;
  while (at < text.length) {
    if (pattern[inPattern] === '*') {
      star = inPattern++;
      resumeAt = at;
    } else if (pattern[inPattern] === text[at]) {
      inPattern++;
      at++;
    } else if (star >= 0) {
      inPattern = star + 1;
      at = ++resumeAt;
    } else {
      return false;
    }
  }
  while (pattern[inPattern] === '*') inPattern++;
  return inPattern === pattern.length;
}
