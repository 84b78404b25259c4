import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

import { finishCheck } from './lib/report.ts';
import { root } from './lib/workspace.ts';
import { bannedPhrases } from './prose/banned-phrases.ts';
import { findPhrases } from './prose/find-phrases.ts';

const isText = /\.(?:ts|tsx|js|mjs|py|md|ya?ml|jsonc?|html|css|sh)$|^\.ci\/run$/;
// Lists and data that are written by programs or by others, and the list of phrases itself.
const isExempt =
  /(?:^|\/)(?:pnpm-lock\.yaml|CHANGELOG\.md)$|\/fixtures\/|^scripts\/prose\/|^scripts\/test\/find-phrases\.test\.ts$|^docs\/glossary\.md$/;

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

// Paths of all tracked and new files whose text people read, from the root of the repository.
function proseFiles(): readonly string[] {
  const list = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  });
  return list.split('\n').filter((path) => isText.test(path) && !isExempt.test(path) && existsSync(join(root, path)));
}
