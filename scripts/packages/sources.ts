import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import { root } from '../lib/workspace.ts';

const maxLines = 400;
const exported = /^export (?:abstract |async )?(?:function|const|class|interface|type) (\w+)/;

/** Rules for every source file of the repository, tests and scripts included. */
export function sourceProblems(): string[] {
  const exclude = (path: string): boolean => /(^|\/)(node_modules|dist|fixtures)(\/|$)/.test(path);
  const paths = globSync('{packages,apps,examples,bench,scripts}/**/*.{ts,tsx,js,mjs}', { cwd: root, exclude });
  return paths
    .map((path) => path.replaceAll('\\', '/'))
    .toSorted()
    .flatMap((path) => problemsOf(path).map((problem) => `${path}: ${problem}`));
}

function problemsOf(path: string): string[] {
  const text = readFileSync(join(root, path), 'utf8');
  const lines = text.trimEnd().split('\n').length;
  const problems: string[] = [];
  if (lines > maxLines) problems.push(`${lines} lines, at most ${maxLines} are allowed`);
  if (/^\s*export \*/m.test(text)) problems.push('export * hides what a module exports: name the exports');
  if (basename(path) === 'index.ts' && path.includes('/src/') && !dirname(path).endsWith('/src')) {
    problems.push('src/index.ts is the only barrel of a package');
  }
  if (/^(packages|apps)\/.*\/src\//.test(path)) problems.push(...undocumented(text.split('\n')));
  return problems;
}

function undocumented(lines: readonly string[]): string[] {
  const documented = new Set<string>();
  return lines.flatMap((line, index) => {
    const [, name] = exported.exec(line) ?? [];
    // The first form of an overloaded function is documented for all.
    const isDocumented = lines[index - 1]?.endsWith('*/') === true || (name !== undefined && documented.has(name));
    if (isDocumented && name !== undefined) documented.add(name);
    return name === undefined || isDocumented ? [] : [`${name} is exported without a word of documentation`];
  });
}
