import { builtInAgent, delegatesOf } from '@ravi/host';
import type { ResolvedConfig } from '@ravi/host';
import { explainUnmatched } from '@ravi/invoker';
import type { Toolbox } from '@ravi/invoker';
import { matchesPattern } from '@ravi/support';
import { contradictionsOf, entryOf, placeOf } from './contradictions.ts';
import type { ToolAccess } from './tool-access.ts';

/** Message of the log about each of {@link ruleWarnings}. */
export const ruleWarning = 'a setting has no effect';

/** Parts of {@link ruleWarnings}. */
export interface RuleParts {
  readonly config: Pick<ResolvedConfig, 'agent' | 'agents'>;
  readonly toolAccess: ToolAccess;
  readonly toolbox: Toolbox;
}

/**
 * Returns the rules of the configuration about tools that have no effect at the moment: patterns that match no tool, with the names that
 * may be meant, roles that no access token has, and settings of agents that another one makes void. A mistyped name in a list that forbids tools forbids nothing, so operators have to
 * see it. The tools of a source that is not connected yet may match later.
 */
export function ruleWarnings({ config, toolAccess, toolbox }: RuleParts): readonly string[] {
  return [...toolAccess.warnings(), ...warningsOfAgents(config, toolbox)];
}

/** Agents of a configuration. */
type AgentsConfig = Pick<ResolvedConfig, 'agent' | 'agents'>;

/** Returns the patterns of an agent that match no tool at the moment, with suggestions, and its settings that another one makes void. */
export function warningsOfAgent(name: string, config: AgentsConfig, toolbox: Toolbox): readonly string[] {
  const { tools = {}, guards = [] } = entryOf(name, config);
  // Commands have no delegates in their toolbox.
  const delegates = namesOf(config).flatMap((each) => delegatesOf(entryOf(each, config)).map((tool) => tool.name));
  const ofTools = (patterns: readonly string[] = []): readonly string[] =>
    patterns.filter((pattern) => !delegates.some((delegate) => matchesPattern(pattern, delegate)));
  const allow = ofTools([...(tools.allow ?? []), ...guards.flatMap((guard) => guard.tools ?? [])]);
  const unmatched = explainUnmatched({ allow, deny: ofTools(tools.deny) }, toolbox);
  return [...unmatched.map((problem) => `${placeOf(name)}: ${problem}`), ...contradictionsOf(name, config)];
}

/** Returns the warnings of all agents. */
function warningsOfAgents(config: AgentsConfig, toolbox: Toolbox): readonly string[] {
  return namesOf(config).flatMap((name) => warningsOfAgent(name, config, toolbox));
}

function namesOf({ agents }: AgentsConfig): readonly string[] {
  return [builtInAgent, ...Object.keys(agents)];
}
