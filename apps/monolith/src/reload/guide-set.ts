import type { ResolvedConfig } from '@ravi/host';
import type { Kit, Logger, ToolSkill } from '@ravi/kernel';
import { loadGuides, placeOfGuide } from './load-guides.ts';
import type { Guides } from './load-guides.ts';
import { changesOf } from './reloadable.ts';
import type { NameChanges, Reloadable, ReloadFailure } from './reloadable.ts';

/** Kits and tool skills of a process. They may change while it works. */
export interface GuideSet extends Reloadable {
  /** The same object until they change. */
  readonly current: Guides;
  /** Files that could not be read, with the line if it is known. */
  readonly failures: readonly ReloadFailure[];
  /** Compares the kits and tool skills with those of before. */
  changesSince(before: Guides): NameChanges;
  /** Returns the place of a kit, of one of its tools, or of a tool skill, from the folder of the configuration. */
  placeOf(guide: Kit | ToolSkill, line?: number): string;
}

/** Loads the kits and tool skills of folders. @throws KernelError as `loadGuides` */
export async function openGuideSet(
  config: Pick<ResolvedConfig, 'kits' | 'toolSkills'>,
  { baseDir, logger }: { readonly baseDir: string; readonly logger: Logger },
): Promise<GuideSet> {
  let loaded = await loadGuides(config, { baseDir, logger });
  return {
    get current() {
      return loaded.guides;
    },
    get failures() {
      return loaded.failures;
    },
    changesSince: (before) => changesBetween(before, loaded.guides),
    placeOf: (guide, line) => placeOfGuide(guide, baseDir, line),
    async prepare(draft) {
      const { guides: before } = loaded;
      const next = await loadGuides(draft.config, { baseDir, logger, before });
      // The same object while nothing has changed, so that no agent is made again.
      const { added, changed, removed } = changesBetween(before, next.guides);
      const guides = added.length + changed.length + removed.length === 0 ? before : next.guides;
      draft.guides = guides;
      return {
        commit() {
          loaded = { guides, failures: next.failures };
        },
      };
    },
  };
}

function changesBetween(before: Guides, after: Guides): NameChanges {
  const isSame = (left: object, right: object): boolean => JSON.stringify(left) === JSON.stringify(right);
  return changesOf(byName(before), byName(after), isSame);
}

function byName({ kits, toolSkills }: Guides): ReadonlyMap<string, Kit | ToolSkill> {
  return new Map<string, Kit | ToolSkill>([
    ...kits.map((kit) => [`kit ${kit.name}`, kit] as const),
    ...toolSkills.map((skill) => [`tool skill ${skill.tool}`, skill] as const),
  ]);
}
