import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { finishCheck } from './lib/report.ts';
import { root } from './lib/workspace.ts';

// Matches `<!-- snippet: path#region -->` and the fenced block right below it.
const snippet = /(<!-- snippet: (\S+?)#(\S+) -->\n```\w*\n)([\s\S]*?)(^```$)/gm;
const checkOnly = process.argv.includes('--check');

const problems: string[] = [];
let count = 0;
for (const page of pages()) {
  const before = readFileSync(join(root, page), 'utf8');
  const after = before.replace(
    snippet,
    (_whole, head: string, source: string, region: string, body: string, end: string) => {
      count += 1;
      const code = regionOf(source, region);
      if (code === undefined) problems.push(`${page}: ${source} has no region "${region}"`);
      return `${head}${code ?? body}${end}`;
    },
  );
  if (after === before) continue;
  if (checkOnly) problems.push(`${page}: a snippet differs from its source; run: node scripts/sync-snippets.ts`);
  else writeFileSync(join(root, page), after);
}
finishCheck(problems, `${count} snippets are in step with their sources`);

function pages(): string[] {
  const exclude = (path: string): boolean => /(^|\/)(node_modules|dist)(\/|$)/.test(path);
  return globSync(['*.md', 'docs/**/*.md', '{packages,apps,examples,bench}/**/*.md'], {
    cwd: root,
    exclude,
  }).toSorted();
}

/** The lines between `// #region name` and its `// #endregion`, indented as little as possible. */
function regionOf(source: string, region: string): string | undefined {
  const lines = readSource(source)?.split('\n') ?? [];
  const start = lines.findIndex((line) => line.trim() === `// #region ${region}`);
  if (start < 0) return undefined;
  const length = lines.slice(start + 1).findIndex((line) => line.trim() === '// #endregion');
  if (length < 0) return undefined;
  const body = lines.slice(start + 1, start + 1 + length);
  const indents = body.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length);
  const indent = indents.length === 0 ? 0 : Math.min(...indents);
  return body.map((line) => `${line.slice(indent)}\n`).join('');
}

function readSource(path: string): string | undefined {
  try {
    return readFileSync(join(root, path), 'utf8');
  } catch {
    return undefined;
  }
}
