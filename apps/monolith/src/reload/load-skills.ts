import { join, relative } from 'node:path';
import { loadFolderSkills } from '@ravi/capabilities';
import { KernelError } from '@ravi/kernel';
import type { Logger, Skill } from '@ravi/kernel';
import type { ReloadFailure } from './reloadable.ts';

/** Options of {@link loadSkills}. */
export interface LoadSkillsOptions {
  /** Folder from which paths in messages start. */
  readonly baseDir: string;
  readonly logger: Logger;
  /** Skills of an earlier reading: one whose file is broken now stays. */
  readonly before?: readonly Skill[];
}

/** Skills of several folders. */
export interface LoadedSkills {
  readonly skills: readonly Skill[];
  readonly failures: readonly ReloadFailure[];
}

/**
 * Loads the skills of all folders, in order. A skill that cannot be read is logged as a warning and skipped.
 * @throws KernelError `E_CONFIG_INVALID` for a missing folder, and for two skills of the same name
 */
export async function loadSkills(
  folders: readonly string[],
  { baseDir, logger, before = [] }: LoadSkillsOptions,
): Promise<LoadedSkills> {
  const known = new Map<string, { readonly skill: Skill; readonly source: string }>();
  const failures: ReloadFailure[] = [];
  for (const folder of folders) {
    const source = relative(baseDir, folder) || '.';
    const content = await loadFolderSkills(folder);
    const kept = content.failures.flatMap(({ from, message }) => {
      const previous = before.find(({ path }) => path !== undefined && join(path, 'SKILL.md') === join(folder, from));
      const reason = previous === undefined ? message : `${message}; ${previous.name} stays as before`;
      logger.warn('a skill could not be loaded', { source, from, reason });
      failures.push({ from: `${source}/${from}`, message: reason });
      return previous === undefined ? [] : [previous];
    });
    const ofFolder = [...content.skills, ...kept].toSorted((left, right) => (left.name < right.name ? -1 : 1));
    for (const skill of ofFolder) {
      const taken = known.get(skill.name);
      if (taken !== undefined) {
        const where = taken.source === source ? source : `${taken.source} and ${source}`;
        throw new KernelError(
          'E_CONFIG_INVALID',
          `Two skill folders contain a skill named "${skill.name}" (${where}); rename one`,
        );
      }
      known.set(skill.name, { skill, source });
    }
  }
  return { skills: Array.from(known.values(), ({ skill }) => skill), failures };
}
