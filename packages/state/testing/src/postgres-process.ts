import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { PostgresBinaries } from './postgres-binaries.ts';

/** A running PostgreSQL server. */
export interface RunningServer {
  /** Ends the server and resolves when it is gone. */
  stop(): Promise<void>;
  /** Ends the server without writing anything more, and resolves when it is gone. */
  crash(): Promise<void>;
}

const readyMessage = 'database system is ready to accept connections';
const limitMs = 60_000;
const stopLimitMs = 15_000;
const maxOutput = 4_000;

/** Runs a program to its end. @throws Error with its output if it cannot start, fails or takes over a minute */
export async function runToEnd(
  program: string,
  args: readonly string[],
  runAs: PostgresBinaries['runAs'],
): Promise<void> {
  const child = start(program, args, runAs);
  await untilSettled(child, program, () => false);
}

/** Starts the server. @throws Error with its output if it cannot start or is not ready within a minute */
export async function startServer(
  { postgres, runAs }: PostgresBinaries,
  args: readonly string[],
): Promise<RunningServer> {
  const child = start(postgres, args, runAs);
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  await untilSettled(child, postgres, (output) => output.includes(readyMessage));
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    const timer = setTimeout(kill, stopLimitMs);
    child.kill(signal);
    await ended;
    clearTimeout(timer);
  };
  return {
    // PostgreSQL's fast shutdown: it ends open connections.
    stop: () => end('SIGINT'),
    // Its immediate shutdown, after which it recovers as after a crash.
    crash: () => end('SIGQUIT'),
  };
}

function start(program: string, args: readonly string[], runAs: PostgresBinaries['runAs']): ChildProcess {
  const env = { ...process.env, LC_MESSAGES: 'C' };
  return spawn(program, args, { ...runAs, cwd: '/', env, stdio: ['ignore', 'pipe', 'pipe'] });
}

// Resolves when the program has ended well or its output is what the caller waits for. It is killed otherwise.
function untilSettled(child: ChildProcess, program: string, isReady: (output: string) => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = '';
    const fail = (reason: string): void => {
      clearTimeout(timer);
      child.kill('SIGKILL');
      reject(new Error(`${program} ${reason}\n${output}`));
    };
    const settle = (): void => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(() => fail(`is not ready within ${limitMs / 1_000} s`), limitMs);
    const read = (chunk: Buffer): void => {
      output = (output + chunk.toString('utf8')).slice(-maxOutput);
      if (isReady(output)) settle();
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.on('error', (error) => fail(`cannot be started: ${error.message}`));
    child.on('close', (code, signal) => {
      if (code === 0) settle();
      else fail(`ended with ${signal ?? `code ${code}`}`);
    });
  });
}
