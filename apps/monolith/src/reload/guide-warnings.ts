import { unmatchedPatterns } from '@ravi/invoker';
import type { Toolbox } from '@ravi/invoker';
import type { Kit, ToolSkill } from '@ravi/kernel';
import { nearNames } from '@ravi/support';
import type { GuideSet } from './guide-set.ts';
import { isShipped } from './load-guides.ts';

/** Returns the tools that a kit needs and that do not exist at the moment, with their places and suggestions. */
export function kitWarnings(kit: Kit, guides: GuideSet, toolbox: Toolbox): readonly string[] {
  if (isShipped(kit.path ?? '')) return [];
  return kit.needs
    .filter(({ any }) => unmatchedPatterns({ allow: any }, toolbox).length === any.length)
    .map(({ any, line }) => `${guides.placeOf(kit, line)}: ${missing(any, toolbox)}`);
}

/** Returns that the tool of a tool skill does not exist at the moment, with its place and suggestions. */
export function toolSkillWarnings(skill: ToolSkill, guides: GuideSet, toolbox: Toolbox): readonly string[] {
  if (unmatchedPatterns({ allow: [skill.tool] }, toolbox).length === 0) return [];
  return [`${guides.placeOf(skill)}: ${missing([skill.tool], toolbox)}`];
}

/** Returns the warnings of all kits and tool skills. */
export function guideWarnings(guides: GuideSet, toolbox: Toolbox): readonly string[] {
  const { kits, toolSkills } = guides.current;
  return [
    ...kits.flatMap((kit) => kitWarnings(kit, guides, toolbox)),
    ...toolSkills.flatMap((skill) => toolSkillWarnings(skill, guides, toolbox)),
  ];
}

function missing(patterns: readonly string[], toolbox: Toolbox): string {
  const near = [...new Set(patterns.flatMap((pattern) => nearNames(pattern, toolbox.names())))];
  const hint = near.length === 0 ? '' : `; did you mean ${near.slice(0, 3).join(' or ')}?`;
  return `no tool is named or matches ${patterns.map((pattern) => `"${pattern}"`).join(' or ')}${hint}`;
}
