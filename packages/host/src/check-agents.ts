import { nearNames } from '@ravi/support';
import type { AgentEntry, DelegateConfig } from './agent-config.ts';
import type { ResolvedConfig } from './config.ts';

/** Name of the agent that `agent` describes. */
export const builtInAgent = 'ravi';

/** Parts of a configuration about agents. */
type AgentParts = Pick<ResolvedConfig, 'agent' | 'agents' | 'defaultAgent'>;

/** Returns the delegates of an agent, each with the name of its tool. */
export function delegatesOf({ delegates = [] }: AgentEntry): readonly (DelegateConfig & { readonly name: string })[] {
  return delegates.map((each) =>
    typeof each === 'string' ? { agent: each, name: each } : { ...each, name: each.name ?? each.agent },
  );
}

/** Returns the mistakes in the agents of a configuration, each with its place: unknown names, names used twice, and circles. */
export function agentMistakes({ agent, agents, defaultAgent }: AgentParts): readonly string[] {
  const all = new Map<string, AgentEntry>([
    [builtInAgent, agent],
    ...Object.entries(agents).filter(([name]) => name !== builtInAgent),
  ]);
  const unknown = (place: string, name: string): readonly string[] => {
    if (all.has(name)) return [];
    const near = nearNames(name, all.keys());
    const hint =
      near.length > 0
        ? `did you mean ${near.map(quoted).join(' or ')}?`
        : `there are ${[...all.keys()].map(quoted).join(', ')}`;
    return [`${place}: there is no agent ${quoted(name)}; ${hint}`];
  };
  const reserved = Object.hasOwn(agents, builtInAgent)
    ? [`agents.${builtInAgent}: the settings of the agent "${builtInAgent}" are the key "agent"`]
    : [];
  const ofAgents = [...all].flatMap(([name, entry]) => {
    const place = name === builtInAgent ? 'agent' : `agents.${name}`;
    const tools = delegatesOf(entry);
    const twice = tools.filter((tool, index) => tools.findIndex((other) => other.name === tool.name) !== index);
    const { maxTokens = Infinity, keepTokens = 0 } = entry.compaction || {};
    return [
      ...(keepTokens < maxTokens ? [] : [`${place}.compaction.keepTokens is ${keepTokens}, not below its maxTokens`]),
      ...tools.flatMap((tool, index) => unknown(`${place}.delegates[${index}]`, tool.agent)),
      ...twice.map((tool) => `${place}.delegates: two delegates have the tool name ${quoted(tool.name)}`),
      ...(entry.guards ?? []).flatMap((guard, index) => unknown(`${place}.guards[${index}].agent`, guard.agent)),
    ];
  });
  return [...reserved, ...unknown('defaultAgent', defaultAgent), ...ofAgents, ...circles(all)];
}

// A delegate that could call its caller would only end at the depth limit. A guard works for its agent like a delegate.
function circles(all: ReadonlyMap<string, AgentEntry>): readonly string[] {
  const below = (name: string): readonly string[] => {
    const entry = all.get(name) ?? {};
    return [...delegatesOf(entry).map(({ agent }) => agent), ...(entry.guards ?? []).map(({ agent }) => agent)];
  };
  const safe = new Set<string>();
  const found: string[] = [];
  const visit = (name: string, path: readonly string[]): void => {
    const start = path.indexOf(name);
    if (start !== -1) {
      found.push(`agents: ${[...path.slice(start), name].join(' → ')} is a circle of delegates or guards`);
      return;
    }
    if (safe.has(name)) return;
    for (const next of below(name)) visit(next, [...path, name]);
    safe.add(name);
  };
  for (const name of all.keys()) visit(name, []);
  return found;
}

function quoted(name: string): string {
  return JSON.stringify(name);
}
