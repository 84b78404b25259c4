import { json, operation } from './operation.ts';
import { page } from './page.ts';
import { array, object, string } from './schema.ts';
import type { ValueOf } from './schema.ts';

/** A skill of the agent. */
export const skillSchema = object(
  { name: string(), description: string(), version: string() },
  { allowedTools: array(string()) },
);

/** A skill of the agent, without its instructions. */
export type SkillSummary = ValueOf<typeof skillSchema>;

/** Operations on skills. */
export const skills = {
  list: operation({
    method: 'get',
    path: '/v1/skills',
    summary: 'List the skills of the agent.',
    responses: { 200: json(page(skillSchema)) },
    errors: [],
  }),
} as const;
