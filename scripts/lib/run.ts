import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';

import { readJson, root } from './workspace.ts';

/** Result of a command: its success and its output, both streams in the order of arrival. */
export interface CommandResult {
  readonly ok: boolean;
  readonly output: string;
}

/** Returns the command that runs the pinned pnpm, on a machine without pnpm too. */
export function pnpm(...args: string[]): string[] {
  const { packageManager } = readJson<{ packageManager: string }>('package.json');
  return ['npx', '-y', packageManager, ...args];
}

/** Runs a command with the workspace's binaries first on its path. Never rejects: a failed start is a failed command. */
export function runCommand(command: readonly string[], cwd: string = root): Promise<CommandResult> {
  const [program = '', ...args] = command;
  const path = `${join(root, 'node_modules', '.bin')}${delimiter}${process.env['PATH'] ?? ''}`;
  const env = { ...process.env, PATH: path, NO_COLOR: '1', TURBO_TELEMETRY_DISABLED: '1' };
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', (error) => resolve({ ok: false, output: `${program}: ${error.message}` }));
    child.on('close', (code) => resolve({ ok: code === 0, output: Buffer.concat(chunks).toString('utf8') }));
  });
}

/** Maps over a list with at most two items in progress, one for each core of the smallest build machine. */
export async function mapInPairs<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const queue = [...items.entries()];
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [index, item] = next;
      results[index] = await work(item);
    }
  };
  await Promise.all([worker(), worker()]);
  return results;
}
