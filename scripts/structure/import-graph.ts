import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { root } from '../lib/workspace.ts';

/** A source file and the files of the repository that it imports, types included. Paths are from the root. */
export interface SourceFile {
  readonly path: string;
  readonly lines: number;
  readonly text: string;
  readonly imports: readonly string[];
}

const sources = '{packages,apps,bench,examples,scripts}/**/*.{ts,tsx,js,mjs}';
const isLeftOut = /(?:^|\/)(?:node_modules|dist|test|fixtures)(?:\/|$)/;
const relativeImport = /(?:\bfrom\s+|\bimport\s*\(\s*|^import\s+)'(\.{1,2}\/[^']+)'/gm;

/** Reads every source file of the repository; tests and fixtures are left out. */
export function readSources(): readonly SourceFile[] {
  return globSync(sources, { cwd: root, exclude: (path) => isLeftOut.test(path) })
    .map((path) => path.replaceAll('\\', '/'))
    .toSorted()
    .map((path) => {
      const text = readFileSync(join(root, path), 'utf8');
      return { path, text, lines: text.trimEnd().split('\n').length, imports: importsOf(path, text) };
    });
}

function importsOf(path: string, text: string): readonly string[] {
  const targets = [...text.matchAll(relativeImport)].map(([, specifier = '']) => join(dirname(path), specifier));
  return [...new Set(targets)].filter((target) => existsSync(join(root, target)));
}
