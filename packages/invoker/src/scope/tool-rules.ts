import { foreignTool, KernelError, originOf } from '@ravi/kernel';
import type { AnyTool, ToolRegistry } from '@ravi/kernel';
import { matchesPattern, namesSource, nearNames, splitToolPattern, toolPatternProblem } from '@ravi/support';
import type { PrefixedPattern } from '@ravi/support';

/** Lists of patterns that choose tools, as an operator writes them. */
export interface ToolRuleLists {
  /** Absent for all tools. */
  readonly allow?: readonly string[] | undefined;
  /** Wins over `allow`. */
  readonly deny?: readonly string[] | undefined;
}

/** Restriction of the tools that may be called: names, or rules that also hold for tools that are added later. */
export type AllowList = ReadonlySet<string> | ToolRules;

/** A list of patterns that is compared with the tools of a registry whenever it is read. */
export interface ToolRules {
  readonly lists: ToolRuleLists;
  has(tool: string): boolean;
}

/** Registry that knows where its tools come from. */
export type RuledRegistry = ToolRegistry & {
  sourceOf?(name: string): string | undefined;
  sourceKindOf?(name: string): string | undefined;
};

/**
 * Returns rules over the tools of a registry. A pattern is a whole name, in which `*` stands for any characters: `git.*`. The form
 * `mcp:github/*` counts only for tools of the source `github`, by the names that they have there: without the `github__` that their names
 * here begin with.
 * @throws KernelError `E_CONFIG_INVALID` for a pattern that no name can match
 */
export function createToolRules(lists: ToolRuleLists, registry: RuledRegistry): ToolRules {
  const allow = lists.allow?.map(parsePattern);
  const deny = (lists.deny ?? []).map(parsePattern);
  const isMatch = (pattern: Pattern, tool: string): boolean => matches(pattern, tool, registry);
  return {
    lists,
    has: (tool) =>
      (allow === undefined || allow.some((pattern) => isMatch(pattern, tool))) &&
      !deny.some((pattern) => isMatch(pattern, tool)),
  };
}

/** True if an allow-list contains the whole name of a tool, not only a pattern with `*` that matches it. */
export function isNamedIn(list: AllowList, tool: string, registry: RuledRegistry): boolean {
  if (!list.has(tool)) return false;
  if (!('lists' in list)) return true;
  const names = list.lists.allow?.filter((text) => !text.includes('*')) ?? [];
  return names.some((text) => matches(parsePattern(text), tool, registry));
}

/** Returns the patterns that match none of the names. Names that are not known yet may match them later. */
export function unmatchedPatterns(
  { allow = [], deny = [] }: ToolRuleLists,
  registry: RuledRegistry,
): readonly string[] {
  const names = registry.names();
  return [...allow, ...deny].filter((text) => {
    const pattern = parsePattern(text);
    return !names.some((name) => matches(pattern, name, registry));
  });
}

/** Returns a sentence about each of the {@link unmatchedPatterns}, with what its author may have meant. */
export function explainUnmatched(lists: ToolRuleLists, registry: RuledRegistry): readonly string[] {
  return unmatchedPatterns(lists, registry).map((text) => {
    const near = nearPatterns(text, registry);
    const hint = near.length === 0 ? '' : `; did you mean ${near.join(' or ')}?`;
    return `the pattern "${text}" matches no tool${hint}`;
  });
}

function nearPatterns(text: string, registry: RuledRegistry): readonly string[] {
  const names = registry.names();
  const prefix = splitToolPattern(text);
  if (prefix === undefined) return nearNames(text, names);
  const places = names.flatMap((name) => placeOf(name, registry) ?? []);
  const ofSource = places.filter((place) => namesSource(prefix, place));
  if (ofSource.length > 0) {
    const near = nearNames(prefix.name, new Set(ofSource.flatMap((place) => place.names)));
    return near.map((name) => `${prefix.kind}:${prefix.source}/${name}`);
  }
  const kinds = new Map(places.map(({ source, kind }) => [source, kind]));
  return nearNames(prefix.source, kinds.keys()).map(
    (source) => `${kinds.get(source) ?? prefix.kind}:${source}/${prefix.name}`,
  );
}

type Pattern = string | PrefixedPattern;

function parsePattern(text: string): Pattern {
  const problem = toolPatternProblem(text);
  if (problem !== undefined) throw new KernelError('E_CONFIG_INVALID', problem);
  return splitToolPattern(text) ?? text;
}

function matches(pattern: Pattern, tool: string, registry: RuledRegistry): boolean {
  if (typeof pattern === 'string') return matchesPattern(pattern, tool);
  const place = placeOf(tool, registry);
  if (place === undefined || !namesSource(pattern, place)) return false;
  return place.names.some((name) => matchesPattern(pattern.name, name));
}

function isForeign(tool: AnyTool): boolean {
  return (tool as { readonly [foreignTool]?: boolean })[foreignTool] === true;
}

interface ToolPlace {
  readonly kind: string | undefined;
  readonly source: string;
  /** Names of the tool at its source. */
  readonly names: readonly string[];
}

// A source says what it calls its tools, but the registry knows whose they are. A tool in a folder has no source that vouches for what it
// says of itself.
function placeOf(tool: string, registry: RuledRegistry): ToolPlace | undefined {
  const source = registry.sourceOf?.(tool);
  if (source === undefined) return undefined;
  const found = registry.get(tool);
  const origin = found && isForeign(found) ? originOf(found) : undefined;
  const prefix = `${source}__`;
  const shown = tool.startsWith(prefix) ? tool.slice(prefix.length) : tool;
  return origin?.source === source
    ? { kind: origin.kind, source, names: [...new Set([origin.name, shown])] }
    : { kind: registry.sourceKindOf?.(tool), source, names: [shown] };
}
