import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { projectFiles } from './project-files.ts';

/** What a project is made from. */
export interface CreateProjectOptions {
  /** Absolute; made when it is not there. */
  readonly folder: string;
  /** Of the package; made from the folder's name when absent. */
  readonly name?: string;
}

/** The files of a project, by their paths inside of its folder. */
export interface CreatedProject {
  readonly written: readonly string[];
  /** Those that were there already; they are as they were. */
  readonly kept: readonly string[];
}

/** Writes a project that runs without any key. What is there already stays as it is. */
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
