import { builtInAgent, delegatesOf } from '@ravi/host';
import type { AgentEntry, ResolvedConfig } from '@ravi/host';
import { explainUnmatched } from '@ravi/invoker';
import type { Toolbox } from '@ravi/invoker';
import { matchesPattern } from '@ravi/support';

/** Agents of a configuration. */
type AgentsConfig = Pick<ResolvedConfig, 'agent' | 'agents'>;

/** Returns the patterns of an agent that match no tool at the moment, with suggestions. */
export function warningsOfAgent(name: string, config: AgentsConfig, toolbox: Toolbox): readonly string[] {
  const { tools = {}, guards = [] } = entryOf(name, config);
  const place = name === builtInAgent ? 'agent' : `agents.${name}`;
  // Commands have no delegates in their toolbox.
  const delegates = namesOf(config).flatMap((each) => delegatesOf(entryOf(each, config)).map((tool) => tool.name));
  const ofTools = (patterns: readonly string[] = []): readonly string[] =>
    patterns.filter((pattern) => !delegates.some((delegate) => matchesPattern(pattern, delegate)));
  const allow = ofTools([...(tools.allow ?? []), ...guards.flatMap((guard) => guard.tools ?? [])]);
  return explainUnmatched({ allow, deny: ofTools(tools.deny) }, toolbox).map((problem) => `${place}: ${problem}`);
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
