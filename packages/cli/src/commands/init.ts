import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { createProject, shellWord } from 'create-ravi';
import { KernelError } from '@ravi/kernel';
import { ask } from '../ask.ts';
import type { CommandBody } from '../command.ts';
import type { Terminal } from '../terminal.ts';

/** Writes a project into a folder and keeps existing files. Asks for the folder and name that were not given. */
export const initProject: CommandBody = async ({ values, flags, isJson }, terminal) => {
  const { cwd, print, isInteractive } = terminal;
  const asks = !flags.has('yes') && isInteractive;
  if (!asks && !flags.has('yes')) {
    throw new KernelError('E_USAGE', 'Not a terminal: pass --yes to accept the defaults');
  }
  const given = values['folder'] ?? (asks ? await ask('Folder', '.') : '.');
  const folder = resolve(cwd, given);
  await requireFolder(folder, given);
  const name = values['name'] ?? (asks ? await ask('Name', basename(folder)) : basename(folder));
  const project = await createProject({ folder, name });
  if (isJson) return print(JSON.stringify({ folder, ...project }));
  tell(project, given, terminal);
};

function tell({ written, kept }: Awaited<ReturnType<typeof createProject>>, folder: string, terminal: Terminal): void {
  const { print, paint } = terminal;
  for (const path of written) print(`${paint('good', 'wrote')}  ${path}`);
  for (const path of kept) print(`${paint('faint', 'kept ')}  ${path}`);
  print(`\nNext:${folder === '.' ? '' : `\n  cd ${shellWord(folder)}`}`);
  const packages = kept.includes('package.json') ? ' @ravi/cli @ravi/invoker @ravi/kernel' : '';
  print(`  npm install${packages}\n  npx ravi run "What did each customer buy?"\n  npx ravi serve`);
}

async function requireFolder(folder: string, given: string): Promise<void> {
  const found = await stat(folder).catch(() => undefined);
  if (found === undefined || found.isDirectory()) return;
  throw new KernelError('E_USAGE', `${given} is a file; name a folder`);
}
