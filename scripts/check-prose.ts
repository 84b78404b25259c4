import { readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

import { finishCheck } from './lib/report.ts';
import { root } from './lib/workspace.ts';
import { bannedPhrases } from './prose/banned-phrases.ts';
import { findPhrases } from './prose/find-phrases.ts';
import { proseFiles } from './prose/prose-files.ts';

/** `check-prose [path…]`: reports phrases that a reader has to read twice, in the whole repository or below the paths. */
const wanted = process.argv.slice(2).map((path) => relative(root, resolve(path)));
const isWanted = (path: string): boolean =>
  wanted.length === 0 || wanted.some((prefix) => prefix === '' || path === prefix || path.startsWith(`${prefix}/`));

const paths = proseFiles().filter(isWanted);
const problems = paths.flatMap((path) =>
  findPhrases(readFileSync(join(root, path), 'utf8'), bannedPhrases).map(
    ({ line, text, instead }) => `${path}:${line}: "${text}": ${instead}`,
  ),
);
finishCheck(problems, `${paths.length} files are in plain English`);
