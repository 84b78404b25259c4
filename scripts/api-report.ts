import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, parse } from 'node:path';

import { exportedDeclarations } from './lib/declarations.ts';
import { finishCheck } from './lib/report.ts';
import { root, workspacePackages } from './lib/workspace.ts';
import type { WorkspacePackage } from './lib/workspace.ts';

/**
 * `etc/<package>.api.md` holds what each package exports, taken from the declarations of the last build, so that a
 * changed contract shows in the diff of a change. Without `--write` a difference is a failure.
 */
const write = process.argv.includes('--write');
const problems: string[] = [];

const published = workspacePackages().filter((candidate) => candidate.isPublished);
const expected = new Set(published.map(reportPath));
mkdirSync(join(root, 'etc'), { recursive: true });

for (const candidate of published) {
  const path = reportPath(candidate);
  if (!existsSync(join(root, candidate.folder, 'dist/index.d.ts'))) {
    problems.push(`${candidate.folder} is not built: run npm run build first`);
    continue;
  }
  const report = reportOf(candidate);
  const current = existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : '';
  if (current === report) continue;
  if (write) writeFileSync(join(root, path), report);
  else problems.push(`${path} differs from the code:\n${differingLines(current, report)}`);
}

for (const path of globSync('etc/*.api.md', { cwd: root })) {
  if (expected.has(`etc/${basename(path)}`)) continue;
  if (write) rmSync(join(root, path));
  else problems.push(`${path} belongs to no published package`);
}

if (problems.length > 0) problems.push('If the change is intended: npm run api-report');
finishCheck(problems, `${published.length} API reports are in step with the code`);

function reportPath({ manifest }: WorkspacePackage): string {
  return `etc/${manifest.name.replace('@ravi/', '')}.api.md`;
}

function reportOf({ folder, manifest }: WorkspacePackage): string {
  const sections = Object.entries(manifest.exports ?? {}).flatMap(([subpath, source]) => {
    const declarations = exportedDeclarations(join(root, folder, 'dist', `${parse(source).name}.d.ts`));
    if (declarations.length === 0) return [];
    return `## ${join(manifest.name, subpath)}\n\n\`\`\`ts\n${declarations.join('\n\n')}\n\`\`\`\n`;
  });
  const intro = '<!-- Written by scripts/api-report.ts from the declarations of the build. -->';
  return `# API of ${manifest.name}\n\n${intro}\n\n${sections.join('\n')}`;
}

/** Returns the lines that only one of the two texts has: enough to see the change. */
function differingLines(before: string, after: string): string {
  const [old, fresh] = [new Set(before.split('\n')), new Set(after.split('\n'))];
  const removed = [...old].filter((line) => !fresh.has(line)).map((line) => `  - ${line}`);
  const added = [...fresh].filter((line) => !old.has(line)).map((line) => `  + ${line}`);
  return [...removed, ...added].slice(0, 40).join('\n');
}
