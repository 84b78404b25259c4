import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { finishCheck } from './lib/report.ts';
import { fillSnippets } from './lib/snippets.ts';
import { root } from './lib/workspace.ts';

const checkOnly = process.argv.includes('--check');
const problems: string[] = [];
let count = 0;

for (const page of pages()) {
  const before = readFileSync(join(root, page), 'utf8');
  const { text, snippets, problems: missing } = fillSnippets(before, readSource);
  count += snippets;
  problems.push(...missing.map((problem) => `${page}: ${problem}`));
  if (text === before) continue;
  if (checkOnly) problems.push(`${page}: a snippet differs from its source; run npm run snippets`);
  else writeFileSync(join(root, page), text);
}
finishCheck(problems, `${count} snippets are in step with their sources`);

function pages(): string[] {
  const exclude = (path: string): boolean => /(^|\/)(node_modules|dist)(\/|$)/.test(path);
  return globSync(['*.md', 'docs/**/*.md', '{packages,apps,examples,bench}/**/*.md'], {
    cwd: root,
    exclude,
  }).toSorted();
}

function readSource(path: string): string | undefined {
  return existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined;
}
