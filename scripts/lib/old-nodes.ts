import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { runCommand } from './run.ts';
import { root } from './workspace.ts';

/**
 * Versions of Node, older than the one of the repository, that tests run programs on: the oldest that a package supports,
 * of each major version, and one that is too old for all.
 */
export const oldNodes = ['18.20.8', '20.19.0', '22.18.0'] as const;

/** Returns the executable of a version. It exists after {@link installOldNodes}. */
export function oldNodePath(version: string): string {
  const inside = process.platform === 'win32' ? 'bin/node.exe' : 'bin/node';
  return join(folderOf(version), 'node_modules', 'node', inside);
}

/** Installs the versions that are missing, from npm, into a folder that belongs to no package. @throws Error if npm fails */
export async function installOldNodes(): Promise<void> {
  for (const version of oldNodes) {
    if (existsSync(oldNodePath(version))) continue;
    const folder = folderOf(version);
    mkdirSync(folder, { recursive: true });
    const { ok, output } = await runCommand(['npm', 'install', '--prefix', folder, '--no-save', `node@${version}`]);
    if (!ok || !existsSync(oldNodePath(version))) {
      throw new Error(`Node ${version} could not be installed from npm:\n${output}`);
    }
  }
}

function folderOf(version: string): string {
  return join(root, 'node_modules', '.cache', 'nodes', version);
}
