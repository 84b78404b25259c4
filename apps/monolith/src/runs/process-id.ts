import { readFileSync, readlinkSync } from 'node:fs';

const prefix = 'process';
const bootIdFile = '/proc/sys/kernel/random/boot_id';
const maxIdLength = 200;

/** Place in which process ids have a meaning: a start of a machine, and in it a namespace of process ids. */
interface ProcessIds {
  readonly boot: string;
  readonly namespace: string;
}

/**
 * Returns a new id for this process, as the owner of its runs: its start of the machine, namespace, process id and start time. Where the
 * system does not tell them, the id is random, and the end of the process is not noticed before it counts as dead.
 */
export function createProcessId(): string {
  const unique = crypto.randomUUID();
  const ids = readProcessIds();
  const self = readProcess('self');
  if (ids === undefined || self === undefined || self.pid !== process.pid) return `${prefix}_${unique}`;
  const id = [prefix, ids.boot, ids.namespace, self.pid, self.startTime, unique].join('_');
  return id.length <= maxIdLength ? id : `${prefix}_${unique}`;
}

/**
 * True only if it is the id of a process of this machine, of its current start and of the same namespace of process ids, that has
 * ended. One of another machine or container is never called ended.
 */
export function hasEnded(id: string): boolean {
  const [name, boot, namespace, pidText, startTime, unique] = id.split('_');
  const pid = Number(pidText);
  if (name !== prefix || unique === undefined || !Number.isSafeInteger(pid) || pid <= 0) return false;
  const here = readProcessIds();
  if (here === undefined || boot !== here.boot || namespace !== here.namespace) return false;
  // Not by /proc alone: it may hide the processes of other users.
  if (!processExists(pid)) return true;
  const found = readProcess(String(pid));
  return found?.pid === pid && (found.startTime !== startTime || found.hasEnded);
}

function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function readProcessIds(): ProcessIds | undefined {
  try {
    const boot = readFileSync(bootIdFile, 'utf8').trim();
    const namespace = /^pid:\[(\d+)\]$/.exec(readlinkSync('/proc/self/ns/pid'))?.[1];
    return /^[\da-f-]+$/.test(boot) && namespace !== undefined ? { boot, namespace } : undefined;
  } catch {
    return undefined;
  }
}

interface ProcessState {
  readonly pid: number;
  /** In clock ticks since the machine started. */
  readonly startTime: string;
  /** True for a process that only waits for its parent to read its exit code. */
  readonly hasEnded: boolean;
}

// "pid (name) state …"; the name may contain anything. The start time is the 22nd field.
function readProcess(folder: string): ProcessState | undefined {
  try {
    const stat = readFileSync(`/proc/${folder}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const startTime = fields[19];
    if (startTime === undefined || !/^\d+$/.test(startTime)) return undefined;
    return { pid: Number.parseInt(stat, 10), startTime, hasEnded: /^[ZX]$/i.test(fields[0] ?? '') };
  } catch {
    return undefined;
  }
}
