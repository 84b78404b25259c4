import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { KernelError } from '@ravi/kernel';
import type { Kit, ToolSkill } from '@ravi/kernel';
import { readRegularFile } from './catalog/read-regular-file.ts';
import { parseKit, parseToolSkill } from './guides/parse-kit.ts';
import type { ParsedYaml } from './guides/parse-kit.ts';

/** A file, or a place in it, that could not be loaded. */
export interface GuideFailure {
  /** `tests.yaml:3`, without the folder. */
  readonly from: string;
  /** Path of the file. */
  readonly path: string;
  readonly message: string;
}

/** Options of {@link loadKits} and {@link loadToolSkills}. */
export interface LoadGuidesOptions {
  readonly signal?: AbortSignal;
}

/** Maximum size of a file. The time to check that its keys differ grows with the square of its size. */
const maxBytes = 32_768;

/**
 * Returns the folder of the kits of this package: `tdd_workflow`, `debug_cycle`, `project_setup` and `code_quality`. Their tools are
 * patterns for the names that common tools have, so that an agent sees a kit only if it has such tools.
 */
export function shippedKitsFolder(): string {
  // The built package is one file, as far below the folder of the package as this one.
  return fileURLToPath(new URL('../kits', import.meta.url));
}

/**
 * Loads the kits of a folder, each a `.yaml` or `.yml` file, sorted by file. A file with problems never hides the others.
 * @throws KernelError `E_CONFIG_INVALID` when the folder cannot be read, `E_CANCELLED`
 */
export async function loadKits(
  folder: string,
  options: LoadGuidesOptions = {},
): Promise<{ readonly kits: readonly Kit[]; readonly failures: readonly GuideFailure[] }> {
  const { values, failures } = await loadFolder(folder, 'kit', parseKit, options);
  return { kits: values, failures };
}

/**
 * Loads the tool skills of a folder, each a `.yaml` or `.yml` file, sorted by file. A file with problems never hides the others.
 * @throws KernelError `E_CONFIG_INVALID` when the folder cannot be read, `E_CANCELLED`
 */
export async function loadToolSkills(
  folder: string,
  options: LoadGuidesOptions = {},
): Promise<{ readonly toolSkills: readonly ToolSkill[]; readonly failures: readonly GuideFailure[] }> {
  const { values, failures } = await loadFolder(folder, 'tool skill', parseToolSkill, options);
  return { toolSkills: values, failures };
}

async function loadFolder<Value extends object>(
  folder: string,
  what: string,
  parse: (text: string) => ParsedYaml<Value>,
  { signal }: LoadGuidesOptions,
): Promise<{ readonly values: readonly Value[]; readonly failures: readonly GuideFailure[] }> {
  const values: Value[] = [];
  const failures: GuideFailure[] = [];
  for (const name of await namesIn(folder, what)) {
    if (signal?.aborted === true)
      throw new KernelError('E_CANCELLED', `Loading the ${what}s of ${folder} was cancelled`);
    const path = join(folder, name);
    const read = await readRegularFile(path, maxBytes);
    if ('problem' in read) {
      failures.push({ from: name, path, message: read.problem === 'missing' ? 'cannot be read' : read.problem });
      continue;
    }
    const parsed = parse(read.text);
    if ('problems' in parsed) {
      failures.push(...parsed.problems.map(({ line, message }) => ({ from: `${name}:${line}`, path, message })));
    } else values.push({ ...parsed.value, path });
  }
  return { values, failures };
}

async function namesIn(folder: string, what: string): Promise<readonly string[]> {
  try {
    const names = await readdir(folder);
    return names.filter((name) => !name.startsWith('.') && /\.ya?ml$/.test(name)).toSorted();
  } catch (cause) {
    throw new KernelError('E_CONFIG_INVALID', `The ${what} folder ${folder} cannot be read`, { cause });
  }
}
