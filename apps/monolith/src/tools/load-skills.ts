import { relative } from 'node:path';
import { loadFolderSkills } from '@ravi/capabilities';
import { KernelError } from '@ravi/kernel';
import type { Logger, Skill } from '@ravi/kernel';

/**
 * Loads the skills of all folders, in order. A skill that cannot be read is logged as a warning and skipped.
 * @throws KernelError `E_CONFIG_INVALID` for a missing folder, and for two skills of the same name
 */
export async function loadSkills(
  folders: readonly string[],
  { baseDir, logger }: { readonly baseDir: string; readonly logger: Logger },
): Promise<readonly Skill[]> {
  const known = new Map<string, Skill>();
  for (const folder of folders) {
    const { skills, failures } = await loadFolderSkills(folder);
    const source = relative(baseDir, folder) || '.';
    for (const { from, message: reason } of failures)
      logger.warn('a skill could not be loaded', { source, from, reason });
    for (const skill of skills) {
      if (known.has(skill.name)) {
        throw new KernelError(
          'E_CONFIG_INVALID',
          `Two skill folders contain a skill named "${skill.name}"; rename one`,
        );
      }
      known.set(skill.name, skill);
    }
  }
  return [...known.values()];
}
