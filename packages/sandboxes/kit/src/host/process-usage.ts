import { readFileSync } from 'node:fs';

/** What a process has used so far. */
export interface ProcessUsage {
  /** Processor time in milliseconds, to the clock tick (10 ms). */
  readonly cpuTimeMs: number;
  /** Resident memory in bytes. */
  readonly residentBytes: number;
}

/** Whether {@link readProcessUsage} works here. */
export const canReadProcessUsage: boolean = process.platform === 'linux';

const pageBytes = 4_096;
const tickMs = 10;

/**
 * Reads `/proc/<pid>/stat` (proc(5): utime and stime are fields 14 and 15, rss is field 24, counted in pages).
 * `undefined` when the process is gone or the system has no `/proc`.
 */
export function readProcessUsage(pid: number): ProcessUsage | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return undefined;
  }
  // The second field is the name in parentheses and may hold spaces; the third follows the last parenthesis.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const field = (number: number): number => Number(fields[number - 3]);
  return { cpuTimeMs: (field(14) + field(15)) * tickMs, residentBytes: field(24) * pageBytes };
}
