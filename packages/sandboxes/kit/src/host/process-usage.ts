import { closeSync, openSync, readSync } from 'node:fs';

/** What a process has used so far. */
export interface ProcessUsage {
  /** Processor time in milliseconds, to the clock tick (10 ms). */
  readonly cpuTimeMs: number;
  /** Resident memory in bytes. */
  readonly residentBytes: number;
}

/** Reads what one process uses, again and again. */
export interface UsageReader {
  /** `undefined` when the process is gone or the system does not tell. */
  read(): ProcessUsage | undefined;
  /** Idempotent; nothing can be read any more. */
  close(): void;
}

/** Whether {@link createUsageReader} gives anything here. */
export const canReadProcessUsage: boolean = process.platform === 'linux';

const pageBytes = 4_096;
const tickMs = 10;
// Read by one look at a time, on one thread.
const line = Buffer.allocUnsafe(1_024);

/**
 * Reads `/proc/<pid>/stat` (proc(5): utime and stime are fields 14 and 15, rss is field 24, counted in pages). The file
 * stays open from the first look on: opening it costs more than reading it, and an open one never turns into the file of
 * another process that got the same id.
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
