import { createToolRules } from '@ravi/invoker';
import type { AllowList, InvokerSession, RuledRegistry, ToolRuleLists } from '@ravi/invoker';
import { KernelError, compareRisk } from '@ravi/kernel';
import type { JsonObject, ChainPolicy, Skill } from '@ravi/kernel';
import { isSameList } from '../skills/active-skills.ts';
import type { ActiveSkills, SkillBound } from '../skills/active-skills.ts';
import { jobDetails } from './announced-jobs.ts';
import type { AnnouncedJob } from './announced-jobs.ts';
import type { Budget, BudgetLimits, BudgetSpent } from './budget.ts';
import { newFiles } from './run-files.ts';

/** Parts of a run that its snapshot consists of. */
export interface SnapshotSource {
  readonly definition: { readonly process: object | undefined; readonly skills: readonly Skill[] };
  readonly session: InvokerSession;
  readonly skills: ActiveSkills;
  readonly budget: Budget | undefined;
  readonly hasJobs: boolean;
  readonly jobs: { readonly announced: readonly AnnouncedJob[] };
}

/** The permissions that were recorded last, by session. Not a field of the run: most runs are not recorded. */
const recorded = new WeakMap<InvokerSession, string>();

/** Returns the state that is saved with each message so that another process can recover the run. */
export function snapshotOf(run: SnapshotSource): JsonObject | undefined {
  const { process, skills } = run.definition;
  if (process === undefined) return undefined;
  const budget = budgetRecordOf(run.budget);
  return {
    ...(skills.length === 0 ? {} : { skills: [...run.skills.activeNames] }),
    ...changedPermissions(run),
    ...newFiles(run.session),
    ...(run.hasJobs ? jobDetails(run.jobs.announced) : {}),
    ...(budget === undefined ? {} : { budget: budget as unknown as JsonObject }),
  };
}

/** Returns the permissions of the run, or nothing if they are recorded already: lists of tools may be long. */
export function changedPermissions(run: Pick<SnapshotSource, 'session' | 'skills'>): JsonObject {
  const { session } = run;
  const changed = { permissions: permissionsOf(run) } as unknown as JsonObject;
  const text = JSON.stringify(changed);
  if (text === recorded.get(session)) return {};
  recorded.set(session, text);
  return changed;
}

function isSkillBound(value: unknown): boolean {
  const { skill, tools } = (value ?? {}) as Partial<SkillBound>;
  return typeof skill === 'string' && Array.isArray(tools);
}

/** Permissions of a run at one point in time; JSON. */
export interface Permissions {
  /** Lists of the run: a tool must be in each of them. */
  readonly allowedTools: readonly StoredList[];
  /** Lists of its agent, without those of active skills. They do not hold for sub-agents with tools of their own. */
  readonly agentTools: readonly StoredList[];
  readonly toolsEnabled: boolean;
  readonly maxRiskUnapproved: ChainPolicy['maxRiskUnapproved'];
  readonly defaultRisk: ChainPolicy['defaultRisk'];
  /** Names of the active skills. */
  readonly skills: readonly string[];
  /** Restrictions that hold while their skills are active. */
  readonly skillBounds: readonly SkillBound[];
}

/** Returns the current permissions of a run. */
export function permissionsOf({ session, skills }: Pick<SnapshotSource, 'session' | 'skills'>): Permissions {
  const { maxRiskUnapproved, defaultRisk } = session.policy;
  const { lists } = skills;
  const agentLists = new Set(session.agentAllowLists);
  const ofRun = session.allowLists.filter((list) => !agentLists.has(list));
  return {
    allowedTools: ofRun.map(storedList),
    agentTools: [...agentLists].filter((list) => !lists.has(list)).map(storedList),
    toolsEnabled: session.toolsEnabled,
    maxRiskUnapproved,
    defaultRisk,
    skills: [...skills.activeNames],
    skillBounds: skills.bounds,
  };
}

/** Restricts a session to the tools of a resumed run. Lists that already apply are not added again. */
export function narrowTo(
  session: InvokerSession,
  { allowedTools, agentTools }: Permissions,
  registry: RuledRegistry,
): void {
  const add = (list: StoredList, ofAgent: boolean): void => {
    if (session.allowLists.some((held) => isStoredAs(held, list))) return;
    session.narrow(isNames(list) ? list : createToolRules(list, registry), { ofAgent });
  };
  for (const list of allowedTools) add(list, false);
  for (const list of agentTools) add(list, true);
}

/** Names of tools, or the patterns of rules; JSON. */
export type StoredList = readonly string[] | ToolRuleLists;

function storedList(list: AllowList): StoredList {
  return 'lists' in list ? list.lists : [...list];
}

function isStoredAs(held: AllowList, list: StoredList): boolean {
  if ('lists' in held) return !isNames(list) && JSON.stringify(held.lists) === JSON.stringify(list);
  return isNames(list) && isSameList(held, list);
}

function isNames(list: StoredList): list is readonly string[] {
  return Array.isArray(list);
}

function isStoredList(value: unknown): value is StoredList {
  const isNameList = (list: unknown): boolean => Array.isArray(list) && list.every((name) => typeof name === 'string');
  if (Array.isArray(value)) return isNameList(value);
  if (typeof value !== 'object' || value === null) return false;
  const { allow = [], deny = [] } = value as ToolRuleLists;
  return isNameList(allow) && isNameList(deny);
}

/** Returns the policy fields that respect both the policy and the permissions. */
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

/** Reads stored permissions. @throws KernelError `E_STATE_CORRUPT`: a run must not continue without them */
export function readPermissions(value: unknown): Permissions {
  const stored = (value ?? {}) as Partial<Permissions>;
  const { allowedTools, agentTools = [], toolsEnabled, maxRiskUnapproved, defaultRisk, skills, skillBounds } = stored;
  const isWhole =
    Array.isArray(allowedTools) &&
    allowedTools.every(isStoredList) &&
    Array.isArray(agentTools) &&
    agentTools.every(isStoredList) &&
    typeof toolsEnabled === 'boolean' &&
    (maxRiskUnapproved === 'safe' || maxRiskUnapproved === 'high') &&
    (defaultRisk === 'safe' || defaultRisk === 'high' || defaultRisk === 'critical') &&
    Array.isArray(skills) &&
    Array.isArray(skillBounds) &&
    skillBounds.every((bound) => isSkillBound(bound));
  if (!isWhole) throw new KernelError('E_STATE_CORRUPT', 'The stored permissions of the run are corrupt');
  return { allowedTools, agentTools, toolsEnabled, maxRiskUnapproved, defaultRisk, skills, skillBounds };
}

/** Stored budget of a run; JSON. */
export interface BudgetRecord {
  /** Limits of this run, in addition to those of its agent. */
  readonly limits?: BudgetLimits;
  /** Spent by the run and all its sub-agents. */
  readonly spent: BudgetSpent;
}

/** Returns the state of a budget; `undefined` without one. */
export function budgetRecordOf(budget: Budget | undefined): BudgetRecord | undefined {
  if (budget === undefined) return undefined;
  const { ownLimits: limits, settled: spent } = budget;
  return { ...(limits === undefined ? {} : { limits }), spent };
}

/** Reads the stored budget of a run. @throws KernelError `E_STATE_CORRUPT` */
export function readBudgetRecord(value: unknown): BudgetRecord | undefined {
  if (value === undefined) return undefined;
  const { limits, spent } = value as Partial<BudgetRecord>;
  const { tokens, cost, toolCalls, timeMs } = spent ?? ({} as Partial<BudgetSpent>);
  const bounds = limits === undefined ? [] : Object.values(limits as Readonly<Record<string, unknown>>);
  if (![tokens, cost, toolCalls, timeMs, ...bounds].every((figure) => typeof figure === 'number')) {
    throw new KernelError('E_STATE_CORRUPT', 'The stored budget of the run is corrupt');
  }
  return value as BudgetRecord;
}
