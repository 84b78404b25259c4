import { existsSync, globSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Disk space of a set of installed packages. */
export interface InstalledSize {
  /** All of their files and those of everything they depend on, each once. */
  readonly bytes: number;
  /** The folders that were counted. */
  readonly packages: number;
}

/** Follows `dependencies` from these packages of a project, as an installation for production does. */
export function installedSize(project: string, names: readonly string[]): InstalledSize {
  const folders = new Set<string>();
  const add = (from: string, name: string): void => {
    const folder = realpathSync(folderOf(from, name));
    if (folders.has(folder)) return;
    folders.add(folder);
    const { dependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      readonly dependencies?: Readonly<Record<string, string>>;
    };
    for (const dependency of Object.keys(dependencies)) add(folder, dependency);
  };
  for (const name of names) add(project, name);
  return { bytes: [...folders].reduce((sum, folder) => sum + bytesOf(folder), 0), packages: folders.size };
}

/** Returns the folder where Node finds the package: in the nearest `node_modules` above. */
function folderOf(from: string, name: string): string {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name);
    if (existsSync(candidate)) return candidate;
    if (folder === dirname(folder)) throw new TypeError(`${name}, which ${from} needs, is not installed`);
  }
}

function bytesOf(folder: string): number {
  return globSync('**', { cwd: folder, withFileTypes: true, exclude: ({ name }) => name === 'node_modules' })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
