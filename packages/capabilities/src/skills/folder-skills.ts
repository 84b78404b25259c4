import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { KernelError } from '@ravi/kernel';
import type { Skill } from '@ravi/kernel';
import { readRegularFile } from '../catalog/read-regular-file.ts';
import { parseSkill } from './parse-skill.ts';

/** Skills of a folder, and the failures; a bad skill never hides the others. */
export interface FolderSkills {
  readonly skills: readonly Skill[];
  readonly failures: readonly { readonly from: string; readonly message: string }[];
}

/** Maximum size of a SKILL.md. */
const maxBytes = 262_144;

/**
 * Loads the skills of a folder: each `<name>/SKILL.md` in the format of agentskills.io, sorted by name. Folders without
 * that file, and folders whose names start with `.`, are ignored. Other files in the folder belong to the skill, at its
 * `path`.
 * @throws KernelError `E_CONFIG_INVALID` when the folder cannot be read, `E_CANCELLED`
 */
export async function loadFolderSkills(
  folder: string,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<FolderSkills> {
  const skills: Skill[] = [];
  const failures: { readonly from: string; readonly message: string }[] = [];
  for (const name of await namesIn(folder)) {
    if (signal?.aborted === true) throw new KernelError('E_CANCELLED', `Loading the skills of ${folder} was cancelled`);
    const from = `${name}/SKILL.md`;
    const text = await readRegularFile(join(folder, from), maxBytes);
    if ('problem' in text && text.problem === 'missing') continue;
    const parsed = 'problem' in text ? text : parseSkill(text.text, name);
    if ('problem' in parsed) failures.push({ from, message: parsed.problem });
    else skills.push({ ...parsed.skill, path: join(folder, name) });
  }
  return { skills, failures };
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).filter((name) => !name.startsWith('.')).toSorted();
  } catch (cause) {
    throw new KernelError('E_CONFIG_INVALID', `The skill folder ${folder} cannot be read`, { cause });
  }
}
