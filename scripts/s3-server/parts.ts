import { execFile, spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const limitMs = 60_000;

/** Runs a program to its end and returns its output. @throws Error with its standard error when it fails */
export async function runOnce(program: string, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(program, args, { timeout: limitMs });
  return stdout;
}

/** Starts a program that runs until it is disposed or this process exits. Disposing waits for its end. */
export function startPart(program: string, args: readonly string[]): AsyncDisposable {
  const child = spawn(program, args, { stdio: 'ignore' });
  // The data is deleted with the folder, so an orderly shutdown is not needed.
  const kill = (): void => void child.kill('SIGKILL');
  process.on('exit', kill);
  const ended = new Promise<void>((resolve) => {
    child.on('error', (error) => {
      console.error(`${program} did not start: ${error.message}`);
      resolve();
    });
    child.on('exit', () => resolve());
  });
  return {
    async [Symbol.asyncDispose]() {
      kill();
      await ended;
      process.off('exit', kill);
    },
  };
}

/** Calls `holds` until it returns true. A rejection counts as false. @throws Error after a minute */
export async function waitUntil(what: string, holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + limitMs;
  while (performance.now() < end) {
    if (await holds().catch(() => false)) return;
    await delay(100);
  }
  throw new Error(`Waited ${limitMs / 1000} s without success: ${what}`);
}
