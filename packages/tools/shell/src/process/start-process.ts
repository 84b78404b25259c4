import { once } from 'node:events';
import { KernelError } from '@ravi/kernel';
import { spawnTree } from '@ravi/tools-kit';
import type { Isolation } from './isolation.ts';
import type { CommandRun, RunningCommand } from './running-command.ts';

// The first process starts the command as a child: as the first of a namespace, the command itself would be deaf to most signals.
const starter = '"$@" 2>&1; exit "$?"';

/**
 * Starts a command on this machine, in a process group of its own, with standard output and standard error in one stream.
 * @throws KernelError `E_PROGRAM_NOT_FOUND` if the wrapper cannot be started, `E_ARGUMENTS_INVALID` for a command that is too long
 */
export async function startProcess(
  isolation: Isolation,
  { argv, folder, stdin }: CommandRun,
  environment: Readonly<Record<string, string>>,
): Promise<RunningCommand> {
  const [program = '', ...rest] = [...isolation.argv, '/bin/sh', '-c', starter, 'ravi', ...argv];
  const tree = spawnTree(program, rest, {
    cwd: folder.path,
    env: environment,
    stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'ignore'],
  });
  const { child } = tree;
  if (child.pid === undefined) {
    const [error] = (await once(child, 'error')) as [NodeJS.ErrnoException];
    throw startError(program, error);
  }
  return {
    child,
    stop: () => tree.end(),
    // A namespace has ended with its first process.
    leave: async () => isolation.kind === 'namespace' || (await tree.end()),
  };
}

/** Makes the error of a program that cannot be started. */
export function startError(program: string, error: NodeJS.ErrnoException): KernelError {
  const options = { cause: error, hadNoEffect: true };
  if (error.code === 'E2BIG') {
    return new KernelError('E_ARGUMENTS_INVALID', 'The command is longer than the system accepts', options);
  }
  const message = `The program ${program} cannot be started (${error.code ?? 'unknown'})`;
  return new KernelError('E_PROGRAM_NOT_FOUND', message, options);
}
