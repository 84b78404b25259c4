import { KernelError } from '@ravi/kernel';
import type { JsonObject } from '@ravi/kernel';
import { emptyArray } from '@ravi/support';
import type { SkillBound } from '../skills/active-skills.ts';
import type { AgentRun } from './agent-run.ts';
import { budgetRecordOf } from './budget-record.ts';
import { permissionsOf, readPermissions } from './permissions.ts';
import type { Permissions } from './permissions.ts';

/** What a run may do, as it is on record; JSON. */
export interface Rights {
  /** Without what its skills bound. */
  readonly permissions: Permissions;
  /** What its skills bound, as long as they are active. */
  readonly skillBounds: readonly SkillBound[];
}

/** The rights that the newest record of a run tells. No field of it: most runs are not on record. */
const recorded = new WeakMap<AgentRun, string>();

/** What the stored turn tells whoever goes on with the run after its process ended. */
export function standingOf(run: AgentRun): JsonObject | undefined {
  const { lease, skills } = run.definition;
  if (lease === undefined) return undefined;
  const budget = budgetRecordOf(run);
  return {
    ...(skills.length === 0 ? {} : { skills: [...run.skills.activeNames] }),
    ...newRightsOf(run),
    ...(budget === undefined ? {} : { budget: budget as unknown as JsonObject }),
  };
}

/** What the run may do now, to be put on record; nothing when that is there already. Lists of tools may be long. */
export function newRightsOf(run: AgentRun): JsonObject {
  const { session, skills } = run;
  const { bounds, lists } = skills;
  const permissions = {
    ...permissionsOf(session, skills.activeNames),
    allowedTools: session.allowLists.filter((list) => !lists.has(list)).map((list) => [...list]),
  };
  const rights = { permissions, ...(bounds.length === 0 ? {} : { skillBounds: bounds }) } as unknown as JsonObject;
  const text = JSON.stringify(rights);
  if (text === recorded.get(run)) return {};
  recorded.set(run, text);
  return rights;
}

/** What was stored as the rights of a run; `undefined` where nothing was. @throws KernelError `E_STATE_CORRUPT` */
export function readRights({ permissions, skillBounds = emptyArray }: JsonObject): Rights | undefined {
  if (permissions === undefined) return undefined;
  if (!Array.isArray(skillBounds) || !skillBounds.every((bound) => isSkillBound(bound))) {
    throw new KernelError('E_STATE_CORRUPT', 'What the skills of a run bound cannot be read');
  }
  return { permissions: readPermissions(permissions), skillBounds: skillBounds as unknown as readonly SkillBound[] };
}

function isSkillBound(value: unknown): boolean {
  const { skill, tools } = (value ?? {}) as Partial<SkillBound>;
  return typeof skill === 'string' && Array.isArray(tools);
}
