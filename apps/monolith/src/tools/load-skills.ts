import { relative } from 'node:path';
import { loadFolderSkills } from '@ravi/capabilities';
import { KernelError } from '@ravi/kernel';
import type { Logger, Skill } from '@ravi/kernel';

/**
 * The skills of all folders in their order. One that cannot be read is a warning and hides no other.
 * @throws KernelError `E_CONFIG_INVALID` for a folder that is not there, and for two skills of one name
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
        throw new KernelError('E_CONFIG_INVALID', `Two folders of skills have one named "${skill.name}"; rename one`);
      }
      known.set(skill.name, skill);
    }
  }
  return [...known.values()];
}
