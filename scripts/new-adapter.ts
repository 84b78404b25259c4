import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { createAdapter } from '../packages/cli/src/new-adapter/create-adapter.ts';
import { portTemplates } from '../packages/cli/src/new-adapter/ports.ts';
import { workspacePackage } from '../packages/cli/src/new-adapter/workspace-package.ts';
import { root } from './lib/workspace.ts';

// An argument so that a test can run it in a folder of its own.
const [port, name, cwd = root] = process.argv.slice(2);
try {
  if (port === undefined || name === undefined) {
    const ports = Object.keys(portTemplates).join(', ');
    throw Object.assign(new Error(`Usage: npm run new-adapter -- <port> <name>; the ports are ${ports}`), {
      code: 'E_USAGE',
    });
  }
  const { folder } = await createAdapter({ port, name, cwd, layout: workspacePackage });
  addToWorkspace(`${folder.slice(0, folder.lastIndexOf('/'))}/*`);
  console.log(`Wrote ${folder}. Next:`);
  console.log('  npm run setup');
  console.log(`  npm test -- ${folder}   (fails until the adapter fulfils the contract of its port)`);
} catch (error) {
  if ((error as { readonly code?: unknown }).code !== 'E_USAGE') throw error;
  console.error((error as Error).message);
  process.exitCode = 1;
}

function addToWorkspace(glob: string): void {
  const file = join(cwd, 'pnpm-workspace.yaml');
  const workspace = readFileSync(file, 'utf8');
  if (workspace.includes(`  - ${glob}\n`)) return;
  writeFileSync(file, workspace.replace('packages:\n', `packages:\n  - ${glob}\n`));
}
