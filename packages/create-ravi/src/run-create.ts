import { readdir } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { createProject } from './create-project.ts';

/** Where `npm create ravi` reads and writes. */
export interface CreateTerminal {
  /** Absolute. */
  readonly cwd: string;
  print(line: string): void;
  warn(line: string): void;
}

const usage = `Usage: npm create ravi [folder]

Makes a project in a new or empty folder, my-ravi when none is named: a configuration, a tool, a skill, a test and a
script that runs without any key.`;

const ok = 0;
const badUsage = 2;

/** Makes the project that the arguments ask for, and gives the exit code: 0, or 2 when they are wrong. */
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
  if (!(await isEmpty(folder))) {
    warn(`${name} is no empty folder: choose another name, or use "npx @ravi/cli init" in it`);
    return badUsage;
  }
  await createProject({ folder });
  const place = relative(cwd, folder);
  print(`Wrote ${place || 'this folder'}. Next:`);
  if (place !== '') print(`  cd ${place}`);
  print('  npm install');
  print('  npm run demo     (a run of the agent, without any key)');
  print('  npm start        (the console, on http://127.0.0.1:7341)');
  return ok;
}

async function isEmpty(folder: string): Promise<boolean> {
  try {
    return (await readdir(folder)).length === 0;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}
