import { api } from '@ravi/api';
import type { Skill } from '@ravi/kernel';
import { implement, listOf } from '../core/implement.ts';
import type { Endpoint } from '../core/implement.ts';

/** What the agent may learn to do. */
export function skillOperations(skills: readonly Skill[]): readonly Endpoint[] {
  return [
    // Without the path: callers have no business with the folders of this machine.
    implement(api.skills.list, () =>
      listOf(
        skills.map(({ name, description, version, allowedTools }) => ({
          name,
          description,
          version,
          ...(allowedTools === undefined ? {} : { allowedTools }),
        })),
      ),
    ),
  ];
}
