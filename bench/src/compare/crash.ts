import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Contender } from './contender.ts';

/** Runs the script in a process that dies halfway, then in a second process; counts what was sent. */
export async function showCrash({ name }: Contender): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'ravi-compare-'));
  try {
    await runChild(name, folder);
    await runChild(name, folder);
    const sent = await readFile(join(folder, 'sent'), 'utf8').catch(() => '');
    const count = (mail: string): number => sent.split('\n').filter((line) => line === mail).length;
    return `${count('first')}, ${count('second')}`;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runChild(name: string, folder: string): Promise<void> {
  const program = join(import.meta.dirname, 'crash-child.ts');
  const child = spawn(process.execPath, ['--no-node-snapshot', program, name, folder], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await once(child, 'exit');
}
