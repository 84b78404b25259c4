import type { Logger, Skill } from '@ravi/kernel';
import { loadSkills } from './load-skills.ts';
import { changesOf } from './reloadable.ts';
import type { LoadedWorkspace, NameChanges, Reloadable, ReloadFailure } from './reloadable.ts';

/** Skills of a process. They may change while it works. */
export interface SkillSet extends Reloadable {
  readonly all: readonly Skill[];
  /** Files that could not be read. */
  readonly failures: readonly ReloadFailure[];
  /** Compares the skills with those of before. */
  changesSince(before: readonly Skill[]): NameChanges;
}

/** Loads the skills of folders and workspaces. @throws KernelError as `loadSkills` */
export async function openSkillSet(
  folders: readonly string[],
  workspaces: readonly LoadedWorkspace[],
  { baseDir, logger }: { readonly baseDir: string; readonly logger: Logger },
): Promise<SkillSet> {
  let current = await loadSkills(foldersOf(folders, workspaces), { baseDir, logger });
  return {
    get all() {
      return current.skills;
    },
    get failures() {
      return current.failures;
    },
    changesSince: (before) => changesOf(byName(before), byName(current.skills), isSameSkill),
    async prepare(draft) {
      const next = await loadSkills(foldersOf(draft.skillFolders, draft.workspaces), {
        baseDir,
        logger,
        before: current.skills,
      });
      // The same objects while nothing has changed, so that no agent is made again.
      const { added, changed, removed } = changesOf(byName(current.skills), byName(next.skills), isSameSkill);
      const isSame = added.length + changed.length + removed.length === 0;
      draft.skills = isSame ? current.skills : next.skills;
      return {
        commit() {
          current = isSame ? { skills: current.skills, failures: next.failures } : next;
        },
      };
    },
  };
}

function foldersOf(folders: readonly string[], workspaces: readonly LoadedWorkspace[]): readonly string[] {
  return [...folders, ...workspaces.flatMap(({ skillFolders }) => skillFolders)];
}

function byName(skills: readonly Skill[]): ReadonlyMap<string, Skill> {
  return new Map(skills.map((skill) => [skill.name, skill]));
}

function isSameSkill(left: Skill, right: Skill): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}
