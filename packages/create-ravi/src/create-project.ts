import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { projectFiles } from './project-files.ts';

/** Options of {@link createProject}. */
export interface CreateProjectOptions {
  /** Absolute path; created if missing. */
  readonly folder: string;
  /** Name of the package; derived from the folder's name when absent. */
  readonly name?: string;
}

/** Files of a project, by their paths inside its folder. */
export interface CreatedProject {
  readonly written: readonly string[];
  /** Files that existed already; they are unchanged. */
  readonly kept: readonly string[];
}

/** Writes a project that runs without any key. Keeps existing files. */
export async function createProject({
  folder,
  name = basename(folder),
}: CreateProjectOptions): Promise<CreatedProject> {
  const written: string[] = [];
  const kept: string[] = [];
  for (const [path, text] of projectFiles({ name: packageName(name), version: await ownVersion() })) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    const isNew = await writeNew(file, text);
    (isNew ? written : kept).push(path);
  }
  return { written, kept };
}

async function writeNew(file: string, text: string): Promise<boolean> {
  try {
    await writeFile(file, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** A name that npm takes. */
function packageName(name: string): string {
  const words = name.toLowerCase().match(/[a-z0-9]+/g) ?? ['my', 'ravi'];
  return words.join('-').slice(0, 100);
}

// All packages have one version. The same place from `src` and from `dist`.
async function ownVersion(): Promise<string> {
  const manifest = await readFile(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { readonly version: string }).version;
}
