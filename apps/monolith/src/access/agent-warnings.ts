import { builtInAgent, delegatesOf } from '@ravi/host';
import type { AgentEntry, ResolvedConfig } from '@ravi/host';
import { unmatchedPatterns } from '@ravi/invoker';
import type { Toolbox } from '@ravi/invoker';
import { matchesPattern, nearNames } from '@ravi/support';

/** Agents of a configuration. */
type AgentsConfig = Pick<ResolvedConfig, 'agent' | 'agents'>;

/** Returns the patterns of an agent that match no tool at the moment, with suggestions. */
export function warningsOfAgent(name: string, config: AgentsConfig, toolbox: Toolbox): readonly string[] {
  const { tools = {}, guards = [] } = entryOf(name, config);
  const place = name === builtInAgent ? 'agent' : `agents.${name}`;
  const lists = { ...tools, allow: [...(tools.allow ?? []), ...guards.flatMap((guard) => guard.tools ?? [])] };
  // Commands have no delegates in their toolbox.
  const delegates = namesOf(config).flatMap((each) => delegatesOf(entryOf(each, config)).map((tool) => tool.name));
  return unmatchedPatterns(lists, toolbox)
    .filter((pattern) => !delegates.some((delegate) => matchesPattern(pattern, delegate)))
    .map((pattern) => {
      const near = nearNames(pattern, [...toolbox.names(), ...delegates]);
      const hint = near.length === 0 ? '' : `; did you mean ${near.join(' or ')}?`;
      return `${place}: the pattern "${pattern}" matches no tool${hint}`;
    });
}

/** Returns the warnings of all agents. */
export function warningsOfAgents(config: AgentsConfig, toolbox: Toolbox): readonly string[] {
  return namesOf(config).flatMap((name) => warningsOfAgent(name, config, toolbox));
}

function namesOf({ agents }: AgentsConfig): readonly string[] {
  return [builtInAgent, ...Object.keys(agents)];
}

function entryOf(name: string, { agent, agents }: AgentsConfig): AgentEntry {
  return name === builtInAgent ? agent : (agents[name] ?? {});
}
