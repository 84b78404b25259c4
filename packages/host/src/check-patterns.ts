import { toolPatternProblem } from '@ravi/support';
import type { AgentEntry, ToolPatterns } from './agent-config.ts';
import { builtInAgent } from './check-agents.ts';
import type { ResolvedConfig } from './config.ts';

/** Parts of a configuration with patterns of tools. */
type PatternParts = Pick<ResolvedConfig, 'agent' | 'agents' | 'toolAccess'>;

/** Returns the patterns that no tool can match, each with its place. */
export function patternMistakes({ agent, agents, toolAccess }: PatternParts): readonly string[] {
  const { disabled, roles = {} } = toolAccess;
  return [
    ...ofAgent('agent', agent),
    ...Object.entries(agents).flatMap(([name, entry]) =>
      name === builtInAgent ? [] : ofAgent(`agents.${name}`, entry),
    ),
    ...ofList('toolAccess.disabled', disabled),
    ...Object.entries(roles).flatMap(([name, lists]) => ofLists(`toolAccess.roles.${name}`, lists)),
  ];
}

function ofAgent(place: string, { tools = {}, guards = [] }: AgentEntry): readonly string[] {
  const ofGuards = guards.flatMap((guard, index) => ofList(`${place}.guards[${index}].tools`, guard.tools));
  return [...ofLists(`${place}.tools`, tools), ...ofGuards];
}

function ofLists(place: string, { allow, deny }: ToolPatterns): readonly string[] {
  return [...ofList(`${place}.allow`, allow), ...ofList(`${place}.deny`, deny)];
}

function ofList(place: string, patterns: readonly string[] = []): readonly string[] {
  return patterns.flatMap((pattern, index) => {
    const problem = toolPatternProblem(pattern);
    return problem === undefined ? [] : [`${place}[${index}]: ${problem}`];
  });
}
