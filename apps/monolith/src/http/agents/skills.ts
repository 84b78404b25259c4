import { api } from '@ravi/api';
import type { Skill } from '@ravi/kernel';
import { implement, listOf } from '../core/implement.ts';
import type { Endpoint } from '../core/implement.ts';

/** Implements the operation on skills of the agent. */
export function skillOperations(skills: { readonly all: readonly Skill[] }): readonly Endpoint[] {
  return [
    // Without the path, which is internal to this machine.
    implement(api.skills.list, () =>
      listOf(
        skills.all.map(({ name, description, version, allowedTools }) => ({
          name,
          description,
          version,
          ...(allowedTools === undefined ? {} : { allowedTools }),
        })),
      ),
    ),
  ];
}
