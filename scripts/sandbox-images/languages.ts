import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { root } from '../lib/workspace.ts';
import type { RootFolder } from './root-folder.ts';

const commands = ['bash', 'cat', 'env', 'grep', 'head', 'id', 'ls', 'setsid', 'sleep', 'touch', 'tr', 'wc'];

/** The Node that runs this script, and the addon of isolated-vm. */
export function addNode(folder: RootFolder): void {
  folder.addBinary(process.execPath, '/usr/local/bin/node');
  const require = createRequire(join(root, 'packages/sandboxes/isolated-vm/package.json'));
  const entry = require.resolve('isolated-vm');
  const { path } = createRequire(entry)('node-gyp-build') as { path(folder: string): string };
  folder.addBinary(path(dirname(entry)), '/opt/ravi/isolated-vm.node');
}

/** A shell, small programs, Node and Python: for commands of the shell tools. */
export function addCommands(folder: RootFolder): void {
  folder.addBinary('/bin/sh', '/bin/sh');
  for (const name of commands) folder.addBinary(`/usr/bin/${name}`, `/usr/bin/${name}`);
  folder.addBinary(process.execPath, '/usr/local/bin/node');
  addPython(folder);
}

/** The system's Python with its standard library, without the modules that scripts do not need. */
export function addPython(folder: RootFolder): void {
  const [program, library] = pythonPaths();
  folder.addBinary(program, '/usr/bin/python3');
  folder.addFolder(
    library,
    (path) => !/\/(__pycache__|test|idlelib|tkinter|ensurepip|lib2to3|config-[^/]+)$/.test(path),
  );
  for (const extension of globSync(join(library, 'lib-dynload/*.so'))) folder.addLibrariesOf(extension);
}

function pythonPaths(): readonly [program: string, library: string] {
  const question =
    'import os, sys, sysconfig; print(os.path.realpath(sys.executable)); print(sysconfig.get_path("stdlib"))';
  const { stdout, status, error } = spawnSync('/usr/bin/python3', ['-I', '-c', question], { encoding: 'utf8' });
  const [program, library] = (stdout ?? '').split('\n');
  if (status === 0 && program !== undefined && library !== undefined) return [program, library];
  throw new Error(`The image of Python needs /usr/bin/python3 (${error?.message ?? `exit code ${status}`})`);
}
