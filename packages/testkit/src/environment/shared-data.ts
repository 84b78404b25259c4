import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/**
 * The path of a file of real data that tests share and the repository does not hold: below the folder that the
 * environment variable `RAVI_SHARED_DATA` names, else below `shared` next to the repository. `undefined` when it is not
 * there: skip the test then, and say so.
 */
export function sharedDataFile(path: string, from: string = process.cwd()): string | undefined {
  const folder = process.env['RAVI_SHARED_DATA'] ?? sharedFolderBeside(from);
  if (folder === undefined) return undefined;
  const file = resolve(folder, path);
  return existsSync(file) ? file : undefined;
}

function sharedFolderBeside(from: string): string | undefined {
  for (let folder = resolve(from); folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, 'pnpm-workspace.yaml'))) return join(dirname(folder), 'shared');
  }
  return undefined;
}
