import { basename } from 'node:path';
import { readManifest } from '../manifest.ts';
import { projectFiles } from './project-files.ts';
import { writeFiles } from './write-files.ts';
import type { WrittenFiles } from './write-files.ts';

/** Options of {@link createProject}. */
export interface CreateProjectOptions {
  /** Absolute path; created if missing. */
  readonly folder: string;
  /** Name of the package; derived from the folder's name when absent. */
  readonly name?: string;
}

/** Files of a project, by their paths inside its folder. */
export type CreatedProject = WrittenFiles;

/** Writes a project that runs without any key. Keeps existing files. */
export async function createProject({
  folder,
  name = basename(folder),
}: CreateProjectOptions): Promise<CreatedProject> {
  return writeFiles(folder, projectFiles({ name: packageName(name), version: readManifest().version }));
}

/** Returns a name that npm accepts. */
function packageName(name: string): string {
  const words = name.toLowerCase().match(/[a-z0-9]+/g) ?? ['my', 'ravi'];
  return words.join('-').slice(0, 100);
}

/** Returns the lines that name the next steps: enter the folder (`''` for the current one) and run the commands. */
export function nextSteps(folder: string, commands: readonly string[]): readonly string[] {
  return [...(folder === '' ? [] : [`cd ${shellWord(folder)}`]), ...commands].map((command) => `  ${command}`);
}

/** Returns text as one word of this platform's shell, quoted if necessary. */
export function shellWord(text: string): string {
  if (/^[\w./@-]+$/.test(text)) return text;
  return process.platform === 'win32' ? `"${text}"` : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
