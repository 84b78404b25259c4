import { cpSync } from 'node:fs';
import { join } from 'node:path';

import { oldestNode } from '../build/node-range.ts';
import type { OldestNode } from '../build/node-range.ts';
import { installOldNodes, oldNodePath, oldNodes } from '../lib/old-nodes.ts';
import { runCommand } from '../lib/run.ts';
import type { WorkspacePackage } from '../lib/workspace.ts';

/**
 * Imports each packed package, and starts each packed command, on every older Node. On a version that its `engines` name it
 * must load; on an older one it must say in one sentence what it needs.
 */
export async function oldNodeProblems(project: string, packages: readonly WorkspacePackage[]): Promise<string[]> {
  await installOldNodes();
  cpSync(join(import.meta.dirname, 'import-packages.mjs'), join(project, 'import-packages.mjs'));
  const problems: string[] = [];
  for (const version of oldNodes) {
    problems.push(...(await importProblems(project, packages, version)));
    for (const program of ['@ravi/cli', '@ravi/monolith', 'create-ravi']) {
      const main = join(project, 'node_modules', program, 'dist/main.js');
      const { ok, output } = await runCommand([oldNodePath(version), main, '--help'], project);
      const sentence = `Ravi needs Node 24 or newer; this is ${version}.\n`;
      if (ok || output !== sentence)
        problems.push(`${program} on Node ${version} prints\n${output}instead of ${sentence}`);
    }
  }
  return problems;
}

async function importProblems(
  project: string,
  packages: readonly WorkspacePackage[],
  version: string,
): Promise<string[]> {
  const { ok, output } = await runCommand([oldNodePath(version), 'import-packages.mjs'], project);
  const json = output.split('\n').findLast((line) => line.startsWith('{'));
  if (!ok || json === undefined) return [`The packages cannot be imported on Node ${version}:\n${output}`];
  const messages = JSON.parse(json) as Readonly<Record<string, string>>;
  return packages
    .filter(({ manifest }) => manifest.name.startsWith('@ravi/'))
    .flatMap(({ manifest: { name, engines } }) => {
      const message = messages[name] ?? 'it was not imported';
      const isFit = isAtLeast(version, oldestNode(engines?.node ?? ''));
      const sentence = /^(Ravi|@ravi\/[\w-]+) needs Node [\d.]+ or newer; this is [\d.]+\.$/;
      const isRight = isFit ? message === '' : sentence.test(message);
      return isRight ? [] : [`import('${name}') on Node ${version}: ${message === '' ? 'loads' : message}`];
    });
}

function isAtLeast(version: string, [major, minor]: OldestNode): boolean {
  const [ownMajor = 0, ownMinor = 0] = version.split('.').map(Number);
  return ownMajor > major || (ownMajor === major && ownMinor >= minor);
}
