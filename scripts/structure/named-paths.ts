import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { root } from '../lib/workspace.ts';

/** Pages that show readers around the repository by naming its files. */
const maps = ['AGENTS.md', 'docs/architecture.md'];
const named = /(?<![\w*./-])[\w@-][\w@./-]*\.(?:tsx?|md|mjs|jsonc?)\b/g;
/** Patterns for names that a reader fills in, not files. */
const isPattern = /NNN-slug/;

/** Returns the files that the maps name and that do not exist. A name may leave out the folders at its beginning. */
export function missingPaths(): readonly string[] {
  const files = globSync('{*,{apps,bench,deploy,docs,etc,examples,packages,scripts}/**/*.{ts,tsx,md,mjs,json,jsonc}}', {
    cwd: root,
    exclude: (path) => /(?:^|\/)(?:node_modules|dist)$/.test(path),
  }).map((path) => `/${path.replaceAll('\\', '/')}`);
  return maps.flatMap((map) => {
    const names = new Set(readFileSync(join(root, map), 'utf8').match(named) ?? []);
    return [...names]
      .filter((name) => !isPattern.test(name) && !files.some((file) => file.endsWith(`/${name}`)))
      .map((name) => `${map}: ${name}`);
  });
}
