import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { root } from './workspace.ts';

const usesSuite = /import\s*\{[^}]*\b\w+Contract\b[^}]*\}\s*from\s*'@ravi\/testkit(?:\/[\w-]+)?'/;
/** Hostile scripts in containers take minutes. The other sandboxes show that their suite works with both runners. */
const takesMinutes = /^packages\/sandboxes\/docker\/test\/\w+-hostile\.test\.ts$/;

/** Test files that apply a contract suite of the testkit, found by what they import; paths from the root, sorted. */
export function contractTestFiles(): string[] {
  return globSync('{packages,examples}/**/test/*.test.ts', { cwd: root, exclude: isInstalled })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !takesMinutes.test(path))
    .filter((path) => usesSuite.test(readFileSync(join(root, path), 'utf8')))
    .toSorted();
}

function isInstalled(path: string): boolean {
  return path.includes('node_modules');
}
