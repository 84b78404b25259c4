import { builtInAgent, delegatesOf } from '@ravi/host';
import type { AgentEntry, ResolvedConfig } from '@ravi/host';

const limits = ['maxTokens', 'maxCost', 'maxToolCalls', 'maxTimeMs'] as const;

/**
 * Returns the settings of an agent that another setting makes void: tools that are both allowed and denied, skills that are both offered
 * and imposed, and limits of delegates above those of this agent, whose budget holds for them too.
 */
export function contradictionsOf(name: string, config: Pick<ResolvedConfig, 'agent' | 'agents'>): readonly string[] {
  const entry = entryOf(name, config);
  const place = placeOf(name);
  const { offer = [], impose = [] } = entry.skills ?? {};
  const twice = offer
    .filter((skill) => impose.includes(skill))
    .map((skill) => `${place}.skills: "${skill}" is offered and imposed; it is imposed. Remove it from "offer"`);
  const above = new Set(delegatesOf(entry).map(({ agent }) => agent));
  const tooMuch = [...above].flatMap((delegate) => {
    const own = entryOf(delegate, config).budget ?? {};
    // Agents without a budget have that of `agent`.
    const holding = entry.budget === undefined ? builtInAgent : name;
    const caller = entryOf(holding, config).budget ?? {};
    return limits
      .filter((limit) => (own[limit] ?? 0) > (caller[limit] ?? Infinity))
      .map(
        (limit) =>
          `${placeOf(delegate)}.budget.${limit} is ${own[limit]}, above ${placeOf(holding)}.budget.${limit}, which is ${caller[limit]} and holds for it as a delegate of "${name}"`,
      );
  });
  return [...allowedAndDenied(`${place}.tools`, entry.tools), ...twice, ...tooMuch];
}

/** Returns the patterns that a list allows and denies. */
export function allowedAndDenied(
  place: string,
  { allow = [], deny = [] }: { readonly allow?: readonly string[]; readonly deny?: readonly string[] } = {},
): readonly string[] {
  return allow
    .filter((pattern) => deny.includes(pattern))
    .map((pattern) => `${place}: "${pattern}" is in "allow" and in "deny", which wins. Remove it from one of them`);
}

/** Returns the settings of an agent as the configuration has them. */
export function entryOf(name: string, { agent, agents }: Pick<ResolvedConfig, 'agent' | 'agents'>): AgentEntry {
  return name === builtInAgent ? agent : (agents[name] ?? {});
}

/** Returns the key of the settings of an agent. */
export function placeOf(name: string): string {
  return name === builtInAgent ? 'agent' : `agents.${name}`;
}
