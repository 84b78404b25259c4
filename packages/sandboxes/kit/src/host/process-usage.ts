import { closeSync, openSync, readSync } from 'node:fs';

/** Usage of a process so far. */
export interface ProcessUsage {
  /** Processor time in milliseconds, to the clock tick (10 ms). */
  readonly cpuTimeMs: number;
  /** Resident memory in bytes. */
  readonly residentBytes: number;
}

/** Reader of the usage of one process. */
export interface UsageReader {
  /** Returns the usage; `undefined` if the process is gone or the system does not report it. */
  read(): ProcessUsage | undefined;
  /** Closes the reader. Idempotent. */
  close(): void;
}

/** True if {@link createUsageReader} works on this platform. */
export const canReadProcessUsage: boolean = process.platform === 'linux';

const pageBytes = 4_096;
const tickMs = 10;
// Shared, because reads are synchronous and on one thread.
const line = Buffer.allocUnsafe(1_024);

/**
 * Creates a reader of `/proc/<pid>/stat` (proc(5): utime and stime are fields 14 and 15, rss is field 24, counted in
 * pages). The file stays open from the first read on: opening it costs more than reading it, and an open file never
 * becomes that of another process with the same id.
 */
export function createUsageReader(pid: number): UsageReader {
  let descriptor: number | undefined;
  let closed = !canReadProcessUsage;

  return {
    read() {
      if (closed) return undefined;
      try {
        descriptor ??= openSync(`/proc/${pid}/stat`, 'r');
        return parse(line.toString('latin1', 0, readSync(descriptor, line, 0, line.length, 0)));
      } catch {
        return undefined;
      }
    },
    close() {
      closed = true;
      if (descriptor !== undefined) closeSync(descriptor);
      descriptor = undefined;
    },
  };
}

function parse(stat: string): ProcessUsage | undefined {
  // The second field is the name in parentheses and may hold spaces; the third follows the last parenthesis.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const field = (number: number): number => Number(fields[number - 3]);
  // A zombie, or dead.
  if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
  return { cpuTimeMs: (field(14) + field(15)) * tickMs, residentBytes: field(24) * pageBytes };
}
