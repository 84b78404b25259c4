import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { root } from '../lib/workspace.ts';
import type { WorkspacePackage } from '../lib/workspace.ts';

const headings = ['Install', 'Use', 'Options', 'Guarantees and limits', 'Related', 'License'];
const optional = 'Options';

/** A published package's README: its name, one paragraph, and the agreed headings in the agreed order. */
export function readmeProblems({ folder, manifest, isPublished }: WorkspacePackage): string[] {
  const path = join(root, folder, 'README.md');
  if (!isPublished || !existsSync(path)) return [];
  const [title = '', ...rest] = readFileSync(path, 'utf8').split('\n');
  const found = withoutCode(rest)
    .filter((line) => line.startsWith('## '))
    .map((line) => line.slice('## '.length).trim());
  const expected = headings.filter((heading) => heading !== optional || found.includes(optional));
  const problems: string[] = [];
  if (title.trim() !== `# ${manifest.name}`) problems.push(`README.md must start with "# ${manifest.name}"`);
  if (found.filter((heading) => headings.includes(heading)).join() !== expected.join()) {
    problems.push(
      `README.md must have the headings ${expected.join(' · ')}, in this order (found: ${found.join(' · ')})`,
    );
  }
  return problems;
}

function withoutCode(lines: readonly string[]): string[] {
  let inCode = false;
  return lines.filter((line) => {
    if (line.startsWith('```')) inCode = !inCode;
    return !inCode;
  });
}
