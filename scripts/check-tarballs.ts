import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { finishCheck } from './lib/report.ts';
import { mapInPairs, pnpm, runCommand } from './lib/run.ts';
import { workspacePackages } from './lib/workspace.ts';

// `dist` is what `turbo run build` left: this check looks at the packages exactly as npm would get them.
const requiredFiles = ['package/LICENSE', 'package/README.md', 'package/dist/index.js', 'package/dist/index.d.ts'];

const folder = mkdtempSync(join(tmpdir(), 'ravi-tarballs-'));
try {
  const published = workspacePackages().filter((candidate) => candidate.isPublished);
  const filters = published.flatMap(({ manifest }) => ['--filter', manifest.name]);
  const packed = await runCommand(pnpm('--recursive', ...filters, 'pack', '--pack-destination', folder));
  const tarballs = globSync('*.tgz', { cwd: folder }).toSorted();
  const problems = packed.ok ? [] : [packed.output];
  if (packed.ok && tarballs.length !== published.length) {
    problems.push(`${published.length} packages are published, but ${tarballs.length} tarballs were packed`);
  }
  problems.push(...(await mapInPairs(tarballs, problemsOf)).flat());
  finishCheck(problems, `${tarballs.length} tarballs are sound`);
} finally {
  rmSync(folder, { recursive: true });
}

async function problemsOf(tarball: string): Promise<string[]> {
  const path = join(folder, tarball);
  const listing = await runCommand(['tar', '-tzf', path]);
  const files = listing.output.split('\n');
  const missing = requiredFiles.filter((file) => !files.includes(file)).map((file) => `${tarball}: ${file} is missing`);
  const results = [
    await runCommand(['publint', 'run', path, '--strict']),
    await runCommand(['attw', path, '--profile', 'esm-only', '--format', 'ascii']),
  ];
  return [...missing, ...results.filter(({ ok }) => !ok).map(({ output }) => `${tarball}\n${output.trimEnd()}`)];
}
