import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Name of this process: its id, and the time at which it started, because ids are used again. */
export const processName: string = `${process.pid}.${startOf(process.pid) ?? ''}`;

/** Name of the place in which the names of processes are unique: a machine, its start and a namespace of process ids. */
export const processPlace: string = `${hostname()}/${textOf('/etc/machine-id')}/${textOf('/proc/sys/kernel/random/boot_id')}/${namespaceOf()}`;

/** True if the process with the name, of this {@link processPlace}, has not ended. */
export function isRunning(name: string): boolean {
  const [id = '', start = ''] = name.split('.');
  if (process.platform === 'linux') return (startOf(Number(id)) ?? '') === start;
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
