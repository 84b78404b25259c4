import type { InvokerSession, Toolbox } from '@ravi/invoker';
import type { ChainPolicy, Principal, TriggerPermissions } from '@ravi/kernel';
import { localPrincipal } from '../access/tool-access.ts';
import type { ToolAccess } from '../access/tool-access.ts';

/** Services of {@link createTriggerPermissions}. */
export interface TriggerPermissionServices {
  readonly toolbox: Pick<Toolbox, 'names'>;
  readonly toolAccess: Pick<ToolAccess, 'toolsOf' | 'roleOf' | 'rules'>;
  /** Policy of now; a reload may replace it. */
  readonly policy: () => Pick<ChainPolicy, 'maxRiskUnapproved'>;
}

/** Permissions of triggers: recorded when one is created, and compared when it fires. */
export interface TriggerRights {
  /** Returns what the run of a call may do, with every restriction that holds for it. */
  ofSession(session: InvokerSession): TriggerPermissions;
  /** Returns what a principal may do that creates a trigger itself. */
  ofPrincipal(principal: Principal): TriggerPermissions;
  /** True if the principal may start runs now: its access token was not removed. */
  mayRun(principal: Principal): boolean;
  /** Returns the highest risk without approval that both the trigger and the policy of now allow. */
  riskOf(permissions: TriggerPermissions): ChainPolicy['maxRiskUnapproved'];
}

/**
 * Creates the permissions of triggers. The tools are recorded by name, so that a tool which appears later, or a role that is widened,
 * gives a trigger nothing. Rules that are narrowed later hold too, because the invoker reads them at each call.
 */
export function createTriggerPermissions({ toolbox, toolAccess, policy }: TriggerPermissionServices): TriggerRights {
  const recorded = (
    principal: Principal,
    tools: readonly string[],
    maxRiskUnapproved: ChainPolicy['maxRiskUnapproved'],
  ): TriggerPermissions => {
    const toolRole = toolAccess.roleOf(principal);
    return { tools, maxRiskUnapproved, ...(toolRole === undefined ? {} : { toolRole }) };
  };
  return {
    ofSession(session) {
      const tools = session.toolsEnabled ? toolbox.names().filter((tool) => session.allows(tool)) : [];
      return recorded(session.principal, tools, session.policy.maxRiskUnapproved);
    },
    ofPrincipal(principal) {
      const filter = toolAccess.toolsOf(principal);
      const tools = toolbox.names().filter((tool) => filter?.has(tool) ?? true);
      return recorded(principal, tools, policy().maxRiskUnapproved);
    },
    mayRun(principal) {
      if (principal === localPrincipal) return true;
      return toolAccess.rules.server.tokens.some(
        (token) => token.principal === principal && token.roles.some((role) => role === 'run' || role === 'admin'),
      );
    },
    riskOf: ({ maxRiskUnapproved }) =>
      maxRiskUnapproved === 'high' && policy().maxRiskUnapproved === 'high' ? 'high' : 'safe',
  };
}
