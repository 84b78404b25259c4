import type { ResolvedConfig } from '@ravi/host';
import type { Toolbox } from '@ravi/invoker';
import { warningsOfAgents } from './agent-warnings.ts';
import type { ToolAccess } from './tool-access.ts';

/** Message of the log about each of them. */
export const ruleWarning = 'a rule about tools has no effect';

/** Parts of {@link ruleWarnings}. */
export interface RuleParts {
  readonly config: Pick<ResolvedConfig, 'agent' | 'agents'>;
  readonly toolAccess: ToolAccess;
  readonly toolbox: Toolbox;
}

/**
 * Returns the rules of the configuration about tools that have no effect at the moment: patterns that match no tool, with the names that
 * may be meant, and roles that no access token has. A mistyped name in a list that forbids tools forbids nothing, so operators have to
 * see it. The tools of a source that is not connected yet may match later.
 */
export function ruleWarnings({ config, toolAccess, toolbox }: RuleParts): readonly string[] {
  return [...toolAccess.warnings(), ...warningsOfAgents(config, toolbox)];
}
