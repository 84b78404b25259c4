import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { finishCheck } from './lib/report.ts';
import { mapInPairs, pnpm, runCommand } from './lib/run.ts';
import { readJson, workspacePackages } from './lib/workspace.ts';
import type { WorkspacePackage } from './lib/workspace.ts';
import { installTarballs } from './tarballs/install.ts';
import { installedSize } from './tarballs/installed-size.ts';
import { oldNodeProblems } from './tarballs/old-node-problems.ts';

// `dist` is what `turbo run build` left: this check looks at the packages exactly as npm would get them.
const requiredFiles = ['package/LICENSE', 'package/README.md', 'package/dist/index.js', 'package/dist/index.d.ts'];

// The packages that a program with an agent installs, in addition to one provider.
const runtime = ['@ravi/kernel', '@ravi/agents'];
const maxInstalledBytes = 5_000_000;

const folder = mkdtempSync(join(tmpdir(), 'ravi-tarballs-'));
const project = join(folder, 'project');
try {
  const published = workspacePackages().filter((candidate) => candidate.isPublished);
  const filters = published.flatMap(({ manifest }) => ['--filter', manifest.name]);
  const packed = await runCommand(pnpm('--recursive', ...filters, 'pack', '--pack-destination', folder));
  const packages = published.map((candidate) => ({ candidate, tarball: tarballOf(candidate) }));
  const missing = packages
    .filter(({ tarball }) => !existsSync(tarball))
    .map(({ tarball }) => `${tarball} was not packed`);
  const problems = packed.ok && missing.length === 0 ? [] : [packed.output, ...missing];
  if (problems.length === 0) {
    problems.push(...(await mapInPairs(packages, ({ tarball }) => problemsOf(tarball))).flat());
    problems.push(...(await problemsInUse(packages)));
    problems.push(...(await oldNodeProblems(project, published)));
    problems.push(...problemsOfSize(published));
  }
  finishCheck(problems, `${packages.length} tarballs are sound and work together`);
} finally {
  rmSync(folder, { recursive: true });
}

function tarballOf({ folder: source, manifest }: WorkspacePackage): string {
  const { version } = readJson<{ version: string }>(`${source}/package.json`);
  return join(folder, `${manifest.name.replace('@', '').replace('/', '-')}-${version}.tgz`);
}

async function problemsOf(tarball: string): Promise<string[]> {
  const listing = await runCommand(['tar', '-tzf', tarball]);
  const files = listing.output.split('\n');
  const missing = requiredFiles.filter((file) => !files.includes(file)).map((file) => `${tarball}: ${file} is missing`);
  const results = [
    await runCommand(['publint', 'run', tarball, '--strict']),
    await runCommand(['attw', tarball, '--profile', 'esm-only', '--format', 'ascii']),
  ];
  return [...missing, ...results.filter(({ ok }) => !ok).map(({ output }) => `${tarball}\n${output.trimEnd()}`)];
}

function problemsOfSize(published: readonly WorkspacePackage[]): string[] {
  const providers = published
    .map(({ manifest }) => manifest.name)
    .filter((name) => /^@ravi\/provider-(?!kit)/.test(name));
  return providers.flatMap((provider) => {
    const { bytes, packages } = installedSize(project, [...runtime, provider]);
    const size = `${(bytes / 1e6).toFixed(1)} MB in ${packages} packages`;
    console.log(`${[...runtime, provider].join(' + ')}: ${size} installed`);
    return bytes <= maxInstalledBytes
      ? []
      : [`${provider} and the runtime take ${size}: more than ${maxInstalledBytes} bytes`];
  });
}

async function problemsInUse(packages: Parameters<typeof installTarballs>[1]): Promise<string[]> {
  await installTarballs(project, packages);
  const problems: string[] = [];
  for (const program of ['use-packages.mjs', 'use-project.mjs']) {
    cpSync(join(import.meta.dirname, 'tarballs', program), join(project, program));
    const { ok, output } = await runCommand(['node', program], project);
    if (!ok) problems.push(`The packed packages do not work together (${program}):\n${output.trimEnd()}`);
  }
  return problems;
}
