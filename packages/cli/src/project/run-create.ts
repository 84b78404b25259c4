import { lstat, readdir } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { getSystemErrorMessage } from 'node:util';
import { createProject, nextSteps } from './create-project.ts';

/** Folder and output of `npm create ravi`. */
export interface CreateTerminal {
  /** Absolute. */
  readonly cwd: string;
  print(line: string): void;
  warn(line: string): void;
}

const usage = `Usage: npm create ravi [folder]

Creates a project in a new or empty folder (default: my-ravi): a configuration, a tool, a skill, a test and a
script that runs without any key.`;

const ok = 0;
const badUsage = 2;

/** Creates the project that the arguments name. Returns the exit code: 0, or 2 if it cannot be created there. */
export async function runCreate(args: readonly string[], { cwd, print, warn }: CreateTerminal): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    print(usage);
    return ok;
  }
  const [name = 'my-ravi', ...more] = args;
  if (more.length > 0 || name.startsWith('-')) {
    warn(usage);
    return badUsage;
  }
  const folder = resolve(cwd, name);
  const problem = await tryCreate(folder);
  if (problem !== undefined) {
    warn(`${name} ${problem}`);
    return badUsage;
  }
  const place = relative(cwd, folder);
  print(`Wrote ${place || 'this folder'}. Next:`);
  const commands = [
    'npm install',
    'npm run demo     (a run of the agent, without any key)',
    'npm start        (the console, on http://127.0.0.1:7341)',
  ];
  for (const line of nextSteps(place, commands)) print(line);
  return ok;
}

/** Creates the project. Returns the reason if it cannot, as the end of a sentence about the folder. */
async function tryCreate(folder: string): Promise<string | undefined> {
  try {
    const problem = await problemOf(folder);
    if (problem === undefined) await createProject({ folder });
    return problem;
  } catch (error) {
    const { errno, code } = error as NodeJS.ErrnoException;
    if (errno === undefined) throw error;
    return `cannot be created: ${getSystemErrorMessage(errno)} (${code})`;
  }
}

async function problemOf(folder: string): Promise<string | undefined> {
  const taken = 'is not an empty folder: choose another name, or use "npx @ravi/cli init" in it';
  try {
    return (await readdir(folder)).length === 0 ? undefined : taken;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOTDIR') return taken;
    if (code !== 'ENOENT') throw error;
    const isLink = await lstat(folder).then(
      () => true,
      () => false,
    );
    return isLink ? 'is a broken link: remove it, or choose another name' : undefined;
  }
}
