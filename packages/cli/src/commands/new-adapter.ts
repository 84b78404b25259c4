import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { KernelError } from '@ravi/kernel';
import type { CommandBody } from '../command.ts';
import { readManifest } from '../manifest.ts';
import { packageFiles } from '../new-adapter/package-files.ts';
import { adapterNames, adapterProblem } from '../new-adapter/ports.ts';
import { starters } from '../new-adapter/starters.ts';

/** Writes a package with an adapter that keeps the contract of its port from the start. */
export const newAdapter: CommandBody = async ({ values: { port = '', name = '' }, isJson }, { cwd, print }) => {
  const starter = starters[port];
  const problem = adapterProblem(port, name);
  if (problem !== undefined || starter === undefined) throw new KernelError('E_USAGE', problem ?? '');
  const folder = `ravi-${adapterNames(starter, name).plugin}`;
  await makeFolder(join(cwd, folder), folder);
  const files = packageFiles(port, starter, name, readManifest().version);
  for (const [path, text] of files) {
    const file = join(cwd, folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text, { flag: 'wx' });
  }
  if (isJson) return print(JSON.stringify({ folder, files: files.map(([path]) => path) }));
  print(
    `Wrote ${folder}. Next:\n  cd ${folder}\n  npm install\n  npm test     (the contract of ${port}; it passes from the start)`,
  );
};

async function makeFolder(path: string, name: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    throw new KernelError('E_USAGE', code === 'EEXIST' ? `${name} exists already: choose another name` : message, {
      cause,
    });
  }
}
