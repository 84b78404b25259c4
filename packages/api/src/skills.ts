import { json, operation } from './operation.ts';
import { array, enumOf, object, string } from './schema.ts';
import type { ValueOf } from './schema.ts';

const agentState = object(
  {
    name: string({ description: 'Name of the agent.' }),
    state: enumOf(['offered', 'imposed', 'hidden'], {
      description:
        'offered: the model may activate it; imposed: it is part of the system prompt, a kit or tool skill while its tools may be called; hidden: the model does not see it.',
    }),
  },
  {
    reason: string({
      description: 'Why the model does not see it. Only for callers with the role "approve" or "admin".',
    }),
  },
);

/** A skill, a kit or a tool skill, without its instructions. */
export const skillSchema = object(
  {
    name: string({ description: 'Name, or for a tool skill the name or pattern of its tool.' }),
    kind: enumOf(['skill', 'kit', 'tool-skill']),
    description: string(),
    version: string(),
    agents: array(agentState, {
      description:
        'What each agent has of it now in runs of the caller, before they narrow their tools. Empty without a state store.',
    }),
    warnings: array(string(), {
      description:
        'Tools that it names and that do not exist, with file and line. Empty for callers with the role "run" only.',
    }),
  },
  {
    allowedTools: array(string(), { description: 'The only tools that may be called while a skill is active.' }),
    needs: array(
      object(
        { any: array(string(), { description: 'Names and patterns, of which one must match a tool.' }) },
        { purpose: string() },
      ),
      {
        description:
          'Tools without which a kit or a tool skill is hidden. Only for callers with the role "approve" or "admin"; others see only kits and tool skills that an agent sees.',
      },
    ),
  },
);

/** A skill, a kit or a tool skill, without its instructions. */
export type SkillSummary = ValueOf<typeof skillSchema>;

const skillList = object(
  { items: array(skillSchema) },
  {
    next: string(),
    failures: array(
      object({ from: string({ description: 'File, with the line if it is known.' }), message: string() }),
      { description: 'Files that could not be loaded. Only for callers with the role "approve" or "admin".' },
    ),
  },
);

/** Skills, kits and tool skills of a server. */
export type SkillList = ValueOf<typeof skillList>;

/** Operations on skills. */
export const skills = {
  list: operation({
    method: 'get',
    path: '/v1/skills',
    summary: 'List the skills, kits and tool skills of the server, and which agents see them.',
    responses: { 200: json(skillList) },
    errors: [],
  }),
} as const;
