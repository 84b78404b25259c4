import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, posix } from 'node:path';

import { finishCheck } from './lib/report.ts';
import { mapInPairs, runCommand } from './lib/run.ts';
import { root, workspacePackages } from './lib/workspace.ts';

/** The fields of a `tsconfig.json` that decide whether projects can be checked together. */
interface Project {
  readonly extends?: string;
  readonly include?: readonly string[];
  readonly [field: string]: unknown;
}

/**
 * Projects that only name their files and one of the shared configurations are one program for each of these: as programs of their own
 * they would check the sources of every package that they import again.
 */
const together = new Map<string, string[]>();
const alone: string[] = [];

for (const { folder, manifest } of workspacePackages()) {
  for (const [, name = ''] of manifest.scripts?.['check']?.matchAll(/-p (\S+)/g) ?? []) {
    const path = posix.join(folder, name);
    const { extends: base = '', include = [], ...more } = readProject(path);
    const isShared = Object.keys(more).length === 0 && /\/tsconfig\.(?:node|web)\.json$/.test(base);
    if (!isShared) alone.push(path);
    else {
      const files = together.get(basename(base)) ?? [];
      together.set(basename(base), [...files, ...include.map((each) => posix.join(posix.dirname(path), each))]);
    }
  }
}

const results = await mapInPairs([...[...together].map(writeProject), ...alone], async (path) => ({
  path,
  ...(await runCommand(['tsc', '-p', path])),
}));
const problems = results.filter(({ ok }) => !ok).map(({ path, output }) => `${path}:\n${output}`);
finishCheck(problems, `${results.length} programs have no type errors`);

/** Writes a project of many packages, and returns its path. */
function writeProject([base, folders]: readonly [base: string, folders: readonly string[]]): string {
  const place = join(root, 'node_modules/.cache/types');
  mkdirSync(place, { recursive: true });
  const path = join(place, base);
  const include = folders.map((folder) => join(root, folder));
  writeFileSync(path, JSON.stringify({ extends: join(root, base), include }));
  return path;
}

function readProject(path: string): Project {
  const text = readFileSync(join(root, path), 'utf8').replaceAll(/^\s*\/\/.*$/gm, '');
  return JSON.parse(text) as Project;
}
