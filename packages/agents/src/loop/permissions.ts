import type { InvokerSession } from '@ravi/invoker';
import { compareRisk, KernelError } from '@ravi/kernel';
import type { ChainPolicy } from '@ravi/kernel';

/** What a run was allowed at some moment; JSON. */
export interface Permissions {
  /** Only tools that stand in each of these lists. */
  readonly allowedTools: readonly (readonly string[])[];
  readonly toolsEnabled: boolean;
  readonly maxRiskUnapproved: ChainPolicy['maxRiskUnapproved'];
  readonly defaultRisk: ChainPolicy['defaultRisk'];
  /** Skills that were active. */
  readonly skills: readonly string[];
}

/** What the session is allowed now. */
export function permissionsOf(session: InvokerSession, skills: readonly string[]): Permissions {
  const { maxRiskUnapproved, defaultRisk } = session.policy;
  return {
    allowedTools: session.allowLists.map((list) => [...list]),
    toolsEnabled: session.toolsEnabled,
    maxRiskUnapproved,
    defaultRisk,
    skills: [...skills],
  };
}

/** Narrows a session to the tools of a run that goes on in it. Lists that hold already are not added again. */
export function narrowTo(session: InvokerSession, { allowedTools }: Permissions): void {
  for (const list of allowedTools) {
    if (!session.allowLists.some((held) => isSameList(held, list))) session.narrow(list);
  }
}

/** Whether both name the same tools. */
export function isSameList(held: ReadonlySet<string>, list: readonly string[]): boolean {
  return held.size === list.length && list.every((tool) => held.has(tool));
}

/** What a policy and the permissions both allow. */
export function narrowedPolicy(
  base: ChainPolicy,
  own: Partial<ChainPolicy> | undefined,
  permissions: Permissions,
): Pick<ChainPolicy, 'maxRiskUnapproved' | 'defaultRisk'> {
  const { maxRiskUnapproved = base.maxRiskUnapproved, defaultRisk = base.defaultRisk } = own ?? {};
  return {
    maxRiskUnapproved: permissions.maxRiskUnapproved === 'safe' ? 'safe' : maxRiskUnapproved,
    defaultRisk: compareRisk(defaultRisk, permissions.defaultRisk) < 0 ? permissions.defaultRisk : defaultRisk,
  };
}

/** What was stored as permissions. @throws KernelError `E_STATE_CORRUPT`: without them nothing may go on */
export function readPermissions(value: unknown): Permissions {
  const { allowedTools, toolsEnabled, maxRiskUnapproved, defaultRisk, skills } = (value ?? {}) as Partial<Permissions>;
  const isWhole =
    Array.isArray(allowedTools) &&
    allowedTools.every((list) => Array.isArray(list)) &&
    typeof toolsEnabled === 'boolean' &&
    (maxRiskUnapproved === 'safe' || maxRiskUnapproved === 'high') &&
    (defaultRisk === 'safe' || defaultRisk === 'high' || defaultRisk === 'critical') &&
    Array.isArray(skills);
  if (!isWhole) throw new KernelError('E_STATE_CORRUPT', 'The permissions of a paused run cannot be read');
  return { allowedTools, toolsEnabled, maxRiskUnapproved, defaultRisk, skills };
}
