import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { root } from '../lib/workspace.ts';

/** Pages that show readers around the repository by naming its files. */
const maps = ['AGENTS.md', 'docs/architecture.md'];
const named = /(?<![\w*./-])[\w@-][\w@./-]*\.(?:tsx?|md|mjs|jsonc?)\b/g;
/** A name that the reader fills in. */
const isPattern = /NNN-slug/;

/** Returns the files that the maps name and that do not exist. A name may leave out the folders at its beginning. */
export function missingPaths(): readonly string[] {
  const files = readPaths();
  return maps.flatMap((map) => {
    const names = new Set(readFileSync(join(root, map), 'utf8').match(named) ?? []);
    return [...names]
      .filter((name) => !isPattern.test(name) && !files.some((file) => file.endsWith(`/${name}`)))
      .map((name) => `${map}: ${name}`);
  });
}

/** Reads the paths of all files that a map may name, each with a slash before it. */
function readPaths(): readonly string[] {
  const pattern = '{*,{apps,bench,deploy,docs,etc,examples,packages,scripts}/**/*.{ts,tsx,md,mjs,json,jsonc}}';
  const exclude = (path: string): boolean => /(?:^|\/)(?:node_modules|dist)$/.test(path);
  return globSync(pattern, { cwd: root, exclude }).map((path) => `/${path.replaceAll('\\', '/')}`);
}
