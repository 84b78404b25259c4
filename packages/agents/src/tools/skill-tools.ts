import { defineTool, KernelError } from '@ravi/kernel';
import type { JsonObject, Skill, Tool, ToolContext } from '@ravi/kernel';
import { nearNames } from '@ravi/support';
import type { ActiveSkills } from '../skills/active-skills.ts';
import { toolRunOf } from './tool-run.ts';

const inputSchema = {
  type: 'object',
  properties: { name: { type: 'string', description: 'Name of the skill' } },
  required: ['name'],
  additionalProperties: false,
} as const;

const activateSkillTool: Tool = defineTool({
  name: 'activate_skill',
  description:
    'Activates a skill. Its instructions are then part of the system prompt; follow them until you deactivate it.',
  inputSchema,
  risk: 'safe',
  runAfterResponse: true,
  allowedCallers: ['direct'],
  execute(args, context) {
    const { skills, skill } = find(args, context);
    skills.activate(skill);
    const bound =
      skill.allowedTools === undefined ? '' : ` While it is active, you may use: ${skill.allowedTools.join(', ')}.`;
    return `The skill ${skill.name} is active.${bound}`;
  },
});

const deactivateSkillTool: Tool = defineTool({
  name: 'deactivate_skill',
  description: 'Deactivates a skill that you no longer need.',
  inputSchema,
  risk: 'safe',
  runAfterResponse: true,
  allowedCallers: ['direct'],
  execute(args, context) {
    const { skills, skill } = find(args, context);
    return skills.deactivate(skill)
      ? `The skill ${skill.name} is no longer active.`
      : `The skill ${skill.name} is not active.`;
  },
});

/** Tools that an agent with skills gets in addition to its own. */
export const skillTools: readonly Tool[] = [activateSkillTool, deactivateSkillTool];

function find(args: JsonObject, context: ToolContext): { readonly skills: ActiveSkills; readonly skill: Skill } {
  const run = toolRunOf(context);
  if (run === undefined)
    throw new KernelError('E_TOOL_NOT_CALLABLE', 'Skill tools can only be called directly by the model of an agent');
  const name = args['name'] as string;
  const skill = run.skills.find(name);
  if (skill !== undefined) return { skills: run.skills, skill };
  if (run.definition.imposedSkills.some((each) => each.name === name))
    throw new KernelError('E_ARGUMENTS_INVALID', `The skill ${name} is always active: the operator imposed it.`);
  const near = nearNames(
    name,
    run.definition.skills.map((each) => each.name),
  );
  const hint = near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`;
  throw new KernelError('E_ARGUMENTS_INVALID', `There is no skill ${name}.${hint}`);
}
