import { join, relative } from 'node:path';
import { loadKits, loadToolSkills, shippedKitsFolder } from '@ravi/capabilities';
import type { GuideFailure } from '@ravi/capabilities';
import { shippedKits } from '@ravi/host';
import type { ResolvedConfig } from '@ravi/host';
import { isKernelError, KernelError } from '@ravi/kernel';
import type { Kit, Logger, ToolSkill } from '@ravi/kernel';
import type { ReloadFailure } from './reloadable.ts';

/** Kits and tool skills of a process. */
export interface Guides {
  readonly kits: readonly Kit[];
  readonly toolSkills: readonly ToolSkill[];
}

/** Options of {@link loadGuides}. */
export interface LoadGuidesOptions {
  /** Folder from which paths in messages start. */
  readonly baseDir: string;
  readonly logger: Logger;
  /** Kits and tool skills of an earlier reading: one whose file is broken now stays. */
  readonly before?: Guides;
}

/** Kits and tool skills of several folders. */
export interface LoadedGuides {
  readonly guides: Guides;
  readonly failures: readonly ReloadFailure[];
}

/** Place of a kit, of one of its tools, or of a tool skill, from the folder of the configuration. */
export function placeOfGuide(guide: Kit | ToolSkill, baseDir: string, line: number | undefined = guide.line): string {
  const { path = '' } = guide;
  const file = isShipped(path) ? `${shippedKits}${path.slice(shippedKitsFolder().length)}` : relative(baseDir, path);
  return line === undefined ? file : `${file}:${line}`;
}

/** True for the file of a kit that Ravi brings: that its tools are missing is normal. */
export function isShipped(path: string): boolean {
  return path.startsWith(shippedKitsFolder());
}

/**
 * Loads the kits and tool skills of all folders, in order. A file with problems is logged as a warning and skipped.
 * @throws KernelError `E_CONFIG_INVALID` for a missing folder, and for two kits of the same name or two tool skills about the same tool
 */
export async function loadGuides(
  config: Pick<ResolvedConfig, 'kits' | 'toolSkills'>,
  { baseDir, logger, before }: LoadGuidesOptions,
): Promise<LoadedGuides> {
  const failures: ReloadFailure[] = [];

  /** Returns the guides of an earlier reading whose files have problems now. */
  function keep<Guide extends Kit | ToolSkill>(
    kind: string,
    found: readonly GuideFailure[],
    known: readonly Guide[] = [],
  ): readonly Guide[] {
    const kept = new Set<Guide>();
    for (const { from: place, path, message } of found) {
      const previous = known.find((guide) => guide.path === path);
      const reason = previous === undefined ? message : `${message}; the ${kind} stays as before`;
      const from = join(relative(baseDir, join(path, '..')), place);
      logger.warn(`a ${kind} could not be loaded`, { from, reason });
      failures.push({ from, message: reason });
      if (previous !== undefined) kept.add(previous);
    }
    return [...kept];
  }

  const kits: Kit[] = [];
  for (const [index, entry] of config.kits.entries()) {
    const folder = entry === shippedKits ? shippedKitsFolder() : entry;
    const loaded = await at(`kits[${index}]`, loadKits(folder));
    kits.push(...byPath([...loaded.kits, ...keep('kit', loaded.failures, before?.kits)]));
  }
  const toolSkills: ToolSkill[] = [];
  for (const [index, folder] of config.toolSkills.entries()) {
    const loaded = await at(`toolSkills[${index}]`, loadToolSkills(folder));
    toolSkills.push(...byPath([...loaded.toolSkills, ...keep('tool skill', loaded.failures, before?.toolSkills)]));
  }
  checkUnique(kits, ({ name }) => `kits are named "${name}"`, baseDir);
  checkUnique(toolSkills, ({ tool }) => `tool skills are about "${tool}"`, baseDir);
  return { guides: { kits, toolSkills }, failures };
}

/** Says which key of the configuration names a folder that cannot be read. */
async function at<Loaded>(place: string, loading: Promise<Loaded>): Promise<Loaded> {
  try {
    return await loading;
  } catch (cause) {
    if (!isKernelError(cause, 'E_CONFIG_INVALID')) throw cause;
    throw new KernelError('E_CONFIG_INVALID', `${place}: ${cause.message}`, { cause });
  }
}

function byPath<Guide extends Kit | ToolSkill>(guides: readonly Guide[]): readonly Guide[] {
  return guides.toSorted((left, right) => ((left.path ?? '') < (right.path ?? '') ? -1 : 1));
}

function checkUnique<Guide extends Kit | ToolSkill>(
  guides: readonly Guide[],
  describe: (guide: Guide) => string,
  baseDir: string,
): void {
  const known = new Map<string, Guide>();
  for (const guide of guides) {
    const what = describe(guide);
    const first = known.get(what);
    if (first !== undefined) {
      const places = `${placeOfGuide(first, baseDir)} and ${placeOfGuide(guide, baseDir)}`;
      throw new KernelError('E_CONFIG_INVALID', `Two ${what}: ${places}; change one`);
    }
    known.set(what, guide);
  }
}
