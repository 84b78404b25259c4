import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const probeMs = 5000;

/**
 * Way in which the processes of a command are kept together. In a PID namespace of Linux each process ends with the first one, also if it has
 * left its session, its parent and its environment, and none sees the processes outside. Without one they are found by their group, their
 * parents and a mark in their environment.
 */
export interface Isolation {
  readonly kind: 'namespace' | 'mark';
  /** Program and arguments before a command. */
  readonly argv: readonly string[];
}

const namespaceArguments = ['--pid', '--fork', '--kill-child=KILL', '--mount-proc'];
const marked: Isolation = { kind: 'mark', argv: [] };

/** Finds out once how commands can be kept together here, by running a command that does nothing. */
export async function findIsolation(): Promise<Isolation> {
  if (process.platform !== 'linux') return marked;
  for (const user of [[], ['--user', '--map-current-user']]) {
    const argv = ['unshare', ...user, ...namespaceArguments];
    if (await works(argv)) return { kind: 'namespace', argv };
  }
  return marked;
}

async function works([program = '', ...rest]: readonly string[]): Promise<boolean> {
  try {
    await execute(program, [...rest, '/bin/sh', '-c', 'exit 0'], {
      timeout: probeMs,
      env: { PATH: process.env['PATH'] ?? '' },
    });
    return true;
  } catch {
    return false;
  }
}
