import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { adapterProblem, portTemplates } from '../../packages/cli/src/new-adapter/ports.ts';
import { adapterFiles } from './files.ts';

/** A request that cannot be met; the message says why and what would do. */
export class AdapterRequestError extends Error {
  override readonly name = 'AdapterRequestError';
}

/**
 * Writes a new adapter package below `root` and returns its folder, relative to it.
 * @throws AdapterRequestError for an unknown port, a bad name or a folder that exists; nothing is written then
 */
export function createAdapter(root: string, port: string | undefined, name: string | undefined): string {
  const ports = Object.keys(portTemplates).join(', ');
  if (port === undefined || name === undefined) {
    throw new AdapterRequestError(`Usage: npm run new-adapter -- <port> <name>, with a port out of ${ports}`);
  }
  const problem = adapterProblem(port, name);
  const template = portTemplates[port];
  if (problem !== undefined || template === undefined) throw new AdapterRequestError(problem);
  const folder = `packages/${template.folder}/${name}`;
  if (existsSync(join(root, folder))) throw new AdapterRequestError(`${folder} exists already: choose another name`);

  for (const [path, text] of adapterFiles(port, template, name)) {
    const file = join(root, folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text, { flag: 'wx' });
  }
  addToWorkspace(root, `packages/${template.folder}/*`);
  return folder;
}

function addToWorkspace(root: string, glob: string): void {
  const file = join(root, 'pnpm-workspace.yaml');
  const workspace = readFileSync(file, 'utf8');
  if (workspace.includes(`  - ${glob}\n`)) return;
  writeFileSync(file, workspace.replace('packages:\n', `packages:\n  - ${glob}\n`));
}
