import type { Skill } from '@ravi/kernel';
import { listAnswer } from '../core/operation.ts';
import type { Operation } from '../core/operation.ts';

/** What the agent may learn to do. */
export function skillOperations(skills: readonly Skill[]): readonly Operation[] {
  return [
    {
      method: 'get',
      path: '/v1/skills',
      summary: 'List the skills of the agent.',
      // Not their path: where they lie on this machine is nobody's business.
      answer: () =>
        listAnswer(
          skills.map(({ name, description, version, allowedTools }) => ({
            name,
            description,
            version,
            ...(allowedTools === undefined ? {} : { allowedTools }),
          })),
        ),
    },
  ];
}
