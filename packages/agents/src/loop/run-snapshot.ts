import type { InvokerSession } from '@ravi/invoker';
import { KernelError, compareRisk } from '@ravi/kernel';
import type { JsonObject, ChainPolicy, Skill } from '@ravi/kernel';
import { emptyArray } from '@ravi/support';
import { isSameList } from '../skills/active-skills.ts';
import type { ActiveSkills, SkillBound } from '../skills/active-skills.ts';
import type { Budget, BudgetLimits, BudgetSpent } from './budget.ts';
/** Permissions of a run as they are recorded; JSON. */
export interface RecordedPermissions {
  /** Without the restrictions of its skills. */
  readonly permissions: Permissions;
  /** Restrictions that hold while their skills are active. */
  readonly skillBounds: readonly SkillBound[];
}

/** The parts of a run that its snapshot is made of. */
export interface SnapshotSource {
  readonly definition: { readonly lease: object | undefined; readonly skills: readonly Skill[] };
  readonly session: InvokerSession;
  readonly skills: ActiveSkills;
  readonly budget: Budget | undefined;
}

/** The permissions that were recorded last, by session. Not a field of the run: most runs are not recorded. */
const recorded = new WeakMap<InvokerSession, string>();

/** Returns the state that is saved with each turn so that another process can recover the run. */
export function snapshotOf(run: SnapshotSource): JsonObject | undefined {
  const { lease, skills } = run.definition;
  if (lease === undefined) return undefined;
  const budget = budgetRecordOf(run.budget);
  return {
    ...(skills.length === 0 ? {} : { skills: [...run.skills.activeNames] }),
    ...changedPermissions(run),
    ...(budget === undefined ? {} : { budget: budget as unknown as JsonObject }),
  };
}

/** Returns the permissions of the run, or nothing if they are recorded already: lists of tools may be long. */
export function changedPermissions(run: Pick<SnapshotSource, 'session' | 'skills'>): JsonObject {
  const { session, skills } = run;
  const { bounds, lists } = skills;
  const permissions = {
    ...permissionsOf(session, skills.activeNames),
    allowedTools: session.allowLists.filter((list) => !lists.has(list)).map((list) => [...list]),
  };
  const changed = { permissions, ...(bounds.length === 0 ? {} : { skillBounds: bounds }) } as unknown as JsonObject;
  const text = JSON.stringify(changed);
  if (text === recorded.get(session)) return {};
  recorded.set(session, text);
  return changed;
}

/** Reads the stored permissions of a run; `undefined` if the turn has emptyArray. @throws KernelError `E_STATE_CORRUPT` */
export function readRecordedPermissions({
  permissions,
  skillBounds = emptyArray,
}: JsonObject): RecordedPermissions | undefined {
  if (permissions === undefined) return undefined;
  if (!Array.isArray(skillBounds) || !skillBounds.every((bound) => isSkillBound(bound))) {
    throw new KernelError('E_STATE_CORRUPT', "The stored tool restrictions of this run's skills are corrupt");
  }
  return { permissions: readPermissions(permissions), skillBounds: skillBounds as unknown as readonly SkillBound[] };
}

function isSkillBound(value: unknown): boolean {
  const { skill, tools } = (value ?? {}) as Partial<SkillBound>;
  return typeof skill === 'string' && Array.isArray(tools);
}

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

/** The budget of a run that has stopped for now; JSON. */
export interface BudgetRecord {
  /** The bounds of this run alone, which hold beside those of its agent. */
  readonly limits?: BudgetLimits;
  /** By the run and all agents under it. */
  readonly spent: BudgetSpent;
}

/** Returns the state of a budget; `undefined` without one. */
export function budgetRecordOf(budget: Budget | undefined): BudgetRecord | undefined {
  if (budget === undefined) return undefined;
  const { ownLimits: limits, spent } = budget;
  return { ...(limits === undefined ? {} : { limits }), spent };
}

/** What was stored as the budget of a run. @throws KernelError `E_STATE_CORRUPT` */
export function readBudgetRecord(value: unknown): BudgetRecord | undefined {
  if (value === undefined) return undefined;
  const { limits, spent } = value as Partial<BudgetRecord>;
  const { tokens, cost, toolCalls, timeMs } = spent ?? ({} as Partial<BudgetSpent>);
  const bounds = limits === undefined ? [] : Object.values(limits as Readonly<Record<string, unknown>>);
  if (![tokens, cost, toolCalls, timeMs, ...bounds].every((figure) => typeof figure === 'number')) {
    throw new KernelError('E_STATE_CORRUPT', 'The budget of a run that goes on cannot be read');
  }
  return value as BudgetRecord;
}
