import { createArgumentCheck, unmatchedPatterns } from '@ravi/invoker';
import type { Toolbox } from '@ravi/invoker';
import { isLocalTool } from '@ravi/kernel';
import type { JsonSchema, Kit, ToolSkill } from '@ravi/kernel';
import { nearNames } from '@ravi/support';
import type { GuideSet } from './guide-set.ts';
import { isShipped } from './load-guides.ts';

/** Message of the log about each of {@link guideWarnings}. */
export const guideWarning = 'a kit or tool skill does not fit the tools';

/** Returns the tools that a kit needs and that do not exist at the moment, with their places and suggestions. */
export function kitWarnings(kit: Kit, guides: GuideSet, toolbox: Toolbox): readonly string[] {
  if (isShipped(kit.path ?? '')) return [];
  return kit.needs
    .filter(({ any }) => unmatchedPatterns({ allow: any }, toolbox).length === any.length)
    .map(({ any, line }) => `${guides.placeOf(kit, line)}: ${missing(any, toolbox)}`);
}

/**
 * Returns that the tool of a tool skill does not exist at the moment, with its place and suggestions, or the examples whose arguments a
 * tool of that name refuses.
 */
export function toolSkillWarnings(skill: ToolSkill, guides: GuideSet, toolbox: Toolbox): readonly string[] {
  if (unmatchedPatterns({ allow: [skill.tool] }, toolbox).length === 0) return exampleWarnings(skill, guides, toolbox);
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

// A pattern can stand for tools with different arguments.
function exampleWarnings(skill: ToolSkill, guides: GuideSet, toolbox: Toolbox): readonly string[] {
  const tool = toolbox.get(skill.tool);
  if (tool === undefined || !isLocalTool(tool)) return [];
  return (skill.examples ?? []).flatMap(({ args, line }) => {
    const problem = args === undefined ? undefined : problemWith(tool.inputSchema, args);
    return problem === undefined
      ? []
      : [`${guides.placeOf(skill, line)}: ${tool.name} refuses the example: ${problem}`];
  });
}

function problemWith(schema: JsonSchema, args: string): string | undefined {
  try {
    return checkArguments(schema, JSON.parse(args));
  } catch {
    // A tool whose schema is invalid is reported itself.
    return undefined;
  }
}

// It keeps the schemas that it has compiled.
const checkArguments = createArgumentCheck();

function missing(patterns: readonly string[], toolbox: Toolbox): string {
  const near = [...new Set(patterns.flatMap((pattern) => nearNames(pattern, toolbox.names())))];
  const hint = near.length === 0 ? '' : `; did you mean ${near.slice(0, 3).join(' or ')}?`;
  return `no tool is named or matches ${patterns.map((pattern) => `"${pattern}"`).join(' or ')}${hint}`;
}
