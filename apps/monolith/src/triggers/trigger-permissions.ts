import type { InvokerSession, Toolbox } from '@ravi/invoker';
import { compareRisk } from '@ravi/kernel';
import type { ChainPolicy, Principal, TriggerPermissions } from '@ravi/kernel';
import { localPrincipal } from '../access/tool-access.ts';
import type { ToolAccess } from '../access/tool-access.ts';

/** Fields of a policy that say which calls need approval. */
export type TriggerRisks = Pick<ChainPolicy, 'maxRiskUnapproved' | 'defaultRisk'>;

/** Services of {@link createTriggerPermissions}. */
export interface TriggerPermissionServices {
  readonly toolbox: Pick<Toolbox, 'names'>;
  readonly toolAccess: Pick<ToolAccess, 'toolsOf' | 'roleOf' | 'rules'>;
  /** Policy of now; a reload may replace it. */
  readonly policy: () => TriggerRisks;
}

/** Permissions of triggers: recorded when one is created, and compared when it fires. */
export interface TriggerRights {
  /** Returns what the run of a call may do, with every restriction that holds for it. */
  ofSession(session: InvokerSession): TriggerPermissions;
  /** Returns what a principal may do that creates a trigger itself. */
  ofPrincipal(principal: Principal): TriggerPermissions;
  /** True if the principal may start runs now: its access token was not removed. */
  mayRun(principal: Principal): boolean;
  /** Returns the stricter of the risks of the trigger and of the policy of now. */
  risksOf(permissions: TriggerPermissions): TriggerRisks;
}

/**
 * Creates the permissions of triggers. The tools are recorded by name, so that a tool which appears later, or a role that is widened,
 * gives a trigger nothing. Rules that are narrowed later hold too, because the invoker reads them at each call.
 */
export function createTriggerPermissions({ toolbox, toolAccess, policy }: TriggerPermissionServices): TriggerRights {
  const recorded = (
    principal: Principal,
    tools: readonly string[],
    { maxRiskUnapproved, defaultRisk }: TriggerRisks,
  ): TriggerPermissions => {
    const toolRole = toolAccess.roleOf(principal);
    return { tools, maxRiskUnapproved, defaultRisk, ...(toolRole === undefined ? {} : { toolRole }) };
  };
  return {
    ofSession(session) {
      const tools = session.toolsEnabled ? toolbox.names().filter((tool) => session.allows(tool)) : [];
      return recorded(session.principal, tools, session.policy);
    },
    ofPrincipal(principal) {
      const filter = toolAccess.toolsOf(principal);
      const tools = toolbox.names().filter((tool) => filter?.has(tool) ?? true);
      return recorded(principal, tools, policy());
    },
    mayRun(principal) {
      if (principal === localPrincipal) return true;
      return toolAccess.rules.server.tokens.some(
        (token) => token.principal === principal && token.roles.some((role) => role === 'run' || role === 'admin'),
      );
    },
    risksOf({ maxRiskUnapproved, defaultRisk }) {
      const now = policy();
      const isRecordedStricter = defaultRisk !== undefined && compareRisk(defaultRisk, now.defaultRisk) > 0;
      return {
        maxRiskUnapproved: maxRiskUnapproved === 'high' ? now.maxRiskUnapproved : 'safe',
        defaultRisk: isRecordedStricter ? defaultRisk : now.defaultRisk,
      };
    },
  };
}
