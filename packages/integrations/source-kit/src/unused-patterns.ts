import { matchesPattern, nearNames, visibleText } from '@ravi/support';
import { ownParts, otherSourceOf } from './tool-pattern.ts';
import type { PatternSource } from './tool-pattern.ts';

/** Patterns of one source by the option that has them. */
export interface PatternLists {
  readonly allow?: readonly string[] | undefined;
  readonly deny?: readonly string[] | undefined;
  /** Keys of the risks by pattern. */
  readonly risk?: readonly string[] | undefined;
  readonly background?: readonly string[] | undefined;
}

/** Pattern that has no effect, and why, in the form of a failure of a source. */
export interface UnusedPattern {
  /** Option and pattern: `deny "delete_*"`. */
  readonly from: string;
  readonly message: string;
}

const maxReported = 20;
const maxNamed = 5;
const maxNameCharacters = 80;

/**
 * Returns the patterns that match none of the tools of a source, the first 20 of them, each with the names that its author may have
 * meant. A mistyped name in `deny` denies nothing, so the operator has to see it. Patterns for other sources are left out, unless the
 * name of the source looks mistyped.
 *
 * @param tools own names of all tools that the source lists, whether they are offered or not
 */
export function unusedPatterns(
  lists: PatternLists,
  of: PatternSource,
  tools: readonly string[],
): readonly UnusedPattern[] {
  const unused = Object.entries(lists).flatMap(([option, patterns]: readonly [string, readonly string[] | undefined]) =>
    (patterns ?? []).flatMap((pattern): readonly UnusedPattern[] => {
      const message = problemOf(pattern, { of, tools, isStrict: option === 'deny' });
      return message === undefined ? [] : [{ from: `${option} ${JSON.stringify(shown(pattern))}`, message }];
    }),
  );
  return unused.slice(0, maxReported);
}

interface Comparison {
  readonly of: PatternSource;
  readonly tools: readonly string[];
  readonly isStrict: boolean;
}

function problemOf(pattern: string, { of, tools, isStrict }: Comparison): string | undefined {
  const parts = ownParts(pattern, of, isStrict);
  if (parts.some((part) => tools.some((tool) => matchesPattern(part, tool)))) return undefined;
  const other = otherSourceOf(pattern, of);
  if (other !== undefined) {
    if (nearNames(other, [of.source]).length === 0) return undefined;
    return `is for the source ${shown(other)}; did you mean ${of.source}?`;
  }
  if (tools.length === 0) return 'matches no tool: the source lists none';
  const near = nearNames((parts[0] ?? pattern).replaceAll('*', ''), tools);
  if (near.length > 0) return `matches no tool; did you mean ${near.map(shown).join(' or ')}?`;
  const more = tools.length > maxNamed ? ', …' : '';
  return `matches no tool; the tools are ${tools.slice(0, maxNamed).map(shown).join(', ')}${more}`;
}

// Names of tools are text of the source.
function shown(text: string): string {
  return visibleText(text.slice(0, maxNameCharacters));
}
