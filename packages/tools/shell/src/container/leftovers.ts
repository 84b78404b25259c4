import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { machineLabel, ownerLabel } from './container-arguments.ts';
import type { EngineClient } from './engine-client.ts';

/** Name of this process in labels. Process ids are used again, so it has the time at which it started. */
export const owner: string = `${process.pid}.${startOf(process.pid) ?? ''}`;

/** Name of the place in which process ids are unique, in labels. */
export const machine: string = `${hostname()}/${textOf('/etc/machine-id')}/${textOf('/proc/sys/kernel/random/boot_id')}/${namespaceOf()}`;

/**
 * Removes the containers of processes of this machine that ended without removing them, and returns their number. Returns the reason if
 * the engine does not say which there are.
 * @throws KernelError `E_PROGRAM_NOT_FOUND`
 */
export async function removeLeftovers(client: EngineClient): Promise<number | string> {
  const listed = await client.run([
    'ps',
    '--all',
    '--no-trunc',
    `--filter=label=${machineLabel}=${machine}`,
    `--format={{.ID}} {{.Label "${ownerLabel}"}}`,
  ]);
  if (listed.exitCode !== 0) return listed.stderr.trim();
  const dead = listed.stdout.split('\n').flatMap((line) => {
    const [id = '', name = ''] = line.split(' ');
    return !/^[\da-f]{64}$/u.test(id) || isAlive(name) ? [] : [id];
  });
  if (dead.length > 0) await client.run(['rm', '--force', '--volumes', ...dead]);
  return dead.length;
}

function isAlive(name: string): boolean {
  const [id = '', start = ''] = name.split('.');
  if (process.platform === 'linux') return startOf(Number(id)) === start;
  try {
    return process.kill(Number(id), 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

// The 22nd field; the name in the second one may contain spaces and brackets.
function startOf(id: number): string | undefined {
  try {
    const text = readFileSync(`/proc/${id}/stat`, 'latin1');
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1').trim();
  } catch {
    return '';
  }
}

function namespaceOf(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}
