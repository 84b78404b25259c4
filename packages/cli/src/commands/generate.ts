import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { KernelError } from '@ravi/kernel';
import { ask } from '../ask.ts';
import type { CommandBody } from '../command.ts';
import { readManifest } from '../manifest.ts';
import { createAdapter } from '../new-adapter/create-adapter.ts';
import { ownPackage } from '../new-adapter/own-package.ts';
import { createProject, nextSteps } from '../project/create-project.ts';
import type { CreatedProject } from '../project/create-project.ts';
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
  printProject(project, given, terminal);
};

function printProject({ written, kept }: CreatedProject, folder: string, terminal: Terminal): void {
  const { print, paint } = terminal;
  for (const path of written) print(`${paint('good', 'wrote')}  ${path}`);
  for (const path of kept) print(`${paint('faint', 'kept ')}  ${path}`);
  const packages = kept.includes('package.json') ? ' @ravi/cli @ravi/invoker @ravi/kernel' : '';
  const commands = [`npm install${packages}`, 'npx ravi run "What did each customer buy?"', 'npx ravi serve'];
  print('\nNext:');
  for (const line of nextSteps(folder === '.' ? '' : folder, commands)) print(line);
}

async function requireFolder(folder: string, given: string): Promise<void> {
  const found = await stat(folder).catch(() => undefined);
  if (found === undefined || found.isDirectory()) return;
  throw new KernelError('E_USAGE', `${given} is a file; name a folder`);
}

/** Writes a package with an adapter that passes the contract suite of its port from the start. */
export const newAdapter: CommandBody = async ({ values: { port = '', name = '' }, isJson }, { cwd, print }) => {
  const created = await createAdapter({ port, name, cwd, layout: ownPackage(readManifest().version) });
  if (isJson) return print(JSON.stringify(created));
  const { folder } = created;
  const commands = ['npm install', `npm test     (the contract of ${port}; it passes from the start)`];
  print([`Wrote ${folder}. Next:`, ...nextSteps(folder, commands)].join('\n'));
};
