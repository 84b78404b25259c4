import { KernelError } from '@ravi/kernel';
import type { ToolRegistry } from '@ravi/kernel';
import { matchesPattern } from '@ravi/support';

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
export type RuledRegistry = ToolRegistry & { sourceOf?(name: string): string | undefined };

const prefixed = /^([a-z][a-z0-9-]*):([^/]*)\/(.*)$/s;
const ofNames = /^[a-zA-Z0-9_.*-]{1,200}$/;
const ofSources = /^[^/]{1,200}$/;

/**
 * Returns rules over the tools of a registry. A pattern is a whole name, in which `*` stands for any characters: `git.*`. The form
 * `mcp:github/*` counts only for tools of the source `github`, without the `github__` that their names begin with.
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

interface Pattern {
  /** Absent for tools of every source. */
  readonly source?: string;
  readonly name: string;
}

function parsePattern(text: string): Pattern {
  const [, kind, source = '', name = ''] = prefixed.exec(text) ?? [];
  if (kind === undefined ? ofNames.test(text) : ofSources.test(source) && ofNames.test(name)) {
    return kind === undefined ? { name: text } : { source, name };
  }
  throw new KernelError(
    'E_CONFIG_INVALID',
    `The tool pattern ${JSON.stringify(text.slice(0, 80))} matches no tool: write a name, a name with * such as "git.*", or "mcp:server/*"`,
  );
}

function matches({ source, name }: Pattern, tool: string, registry: RuledRegistry): boolean {
  if (source === undefined) return matchesPattern(name, tool);
  const from = registry.sourceOf?.(tool);
  if (from === undefined || !matchesPattern(source, from)) return false;
  const prefix = `${from}__`;
  return matchesPattern(name, tool.startsWith(prefix) ? tool.slice(prefix.length) : tool);
}
