import { estimateTokens } from './estimate-tokens.ts';

interface Group {
  readonly prefix: string;
  readonly names: readonly string[];
}

/** The names gathered by how they begin, largest group first, as many groups as `maxTokens` hold: `github_* 63, …`. */
export function toolGroups(names: readonly string[], maxTokens: number): string {
  const groups = groupsOf(names);
  const shown: string[] = [];
  let tools = 0;
  // Room for the words about the rest.
  let left = maxTokens - 30;
  for (const group of groups) {
    const text = group.names.length === 1 ? `${group.names[0]}` : `${group.prefix}* ${group.names.length}`;
    left -= estimateTokens(`${text}, `);
    if (left < 0) break;
    shown.push(text);
    tools += group.names.length;
  }
  const rest = groups.length - shown.length;
  if (rest > 0) shown.push(`and ${rest} more groups with ${names.length - tools} tools`);
  return shown.join(', ');
}

function groupsOf(names: readonly string[]): readonly Group[] {
  const groups = new Map<string, string[]>();
  for (const name of names) {
    const prefix = prefixOf(name);
    const group = groups.get(prefix);
    if (group === undefined) groups.set(prefix, [name]);
    else group.push(name);
  }
  return [...groups]
    .map(([prefix, members]) => ({ prefix, names: members }))
    .toSorted((left, right) => right.names.length - left.names.length || (left.prefix < right.prefix ? -1 : 1));
}

// A server's name in front of a dot or a double underscore, else the first word.
function prefixOf(name: string): string {
  return /^(?:mcp__)?.+?(?:\.|__)/.exec(name)?.[0] ?? /^[A-Za-z0-9]+?(?:[_-]|(?=[A-Z]))/.exec(name)?.[0] ?? name;
}
