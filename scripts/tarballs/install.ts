import { existsSync, mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { runCommand } from '../lib/run.ts';
import { root } from '../lib/workspace.ts';
import type { WorkspacePackage } from '../lib/workspace.ts';

/**
 * Lays packed packages out as npm would install them: each tarball unpacked below `node_modules`, and links next to them to
 * the libraries they depend on in the workspace, so that no network is needed.
 */
export async function installTarballs(
  project: string,
  packages: readonly { readonly candidate: WorkspacePackage; readonly tarball: string }[],
): Promise<void> {
  const own = new Set(packages.map(({ candidate }) => candidate.manifest.name));
  for (const { candidate, tarball } of packages) {
    const target = join(project, 'node_modules', candidate.manifest.name);
    mkdirSync(target, { recursive: true });
    const unpacked = await runCommand(['tar', '-xzf', tarball, '--strip-components=1', '-C', target]);
    if (!unpacked.ok) throw new Error(`${tarball} cannot be unpacked: ${unpacked.output}`);
    // npm installs peers too; the workspace has them as development dependencies.
    const { dependencies, peerDependencies } = candidate.manifest;
    const libraries = Object.keys({ ...dependencies, ...peerDependencies }).filter((name) => !own.has(name));
    for (const library of libraries) linkLibrary(project, candidate, library);
  }
}

function linkLibrary(project: string, { folder }: WorkspacePackage, library: string): void {
  const target = join(project, 'node_modules', library);
  if (existsSync(target)) return;
  mkdirSync(dirname(target), { recursive: true });
  symlinkSync(realpathSync(join(root, folder, 'node_modules', library)), target);
}
