import { readFileSync, readlinkSync, writeFileSync } from 'node:fs';

/** Resource usage of a process, from `/proc` (proc(5)). Has no memory once the system has freed it. */
export interface ProcessReading {
  readonly residentBytes: number;
  /** The highest since {@link forgetPeak}, or since the process began. */
  readonly peakBytes: number;
  readonly cpuTimeMs: number;
  /** It runs no code of its own any more: it is killed, or the system takes down what it held. */
  readonly isEnding: boolean;
}

/** `PF_EXITING` of Linux, in field 9 of stat. */
const exitingFlag = 4;

/** Reads what `pid` has used; `undefined` when it is gone, or not to be read here. */
export function readProcess(pid: number): ProcessReading | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    if (/^State:\s+[ZX]/m.test(status)) return undefined;
    // The third field follows the name, which is in parentheses; utime and stime are fields 14 and 15.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return {
      residentBytes: kilobytes(status, 'VmRSS'),
      peakBytes: kilobytes(status, 'VmHWM'),
      isEnding: (Number(fields[6]) & exitingFlag) !== 0 || isKilled(status),
      cpuTimeMs: (Number(fields[11]) + Number(fields[12])) * 10,
    };
  } catch {
    return undefined;
  }
}

/** Has the system measure the peak of `pid` from now on. */
export function forgetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch {
    // Gone already, or not ours: then there is no reading either.
  }
}

/** The name of the namespace of processes that `pid` lives in (namespaces(7)); `undefined` when it is gone. */
export function namespaceOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    return undefined;
  }
}

/** True if SIGKILL is pending: the process ends as soon as the system schedules it. */
function isKilled(status: string): boolean {
  const pending = status.matchAll(/^(?:SigPnd|ShdPnd):\s+([0-9a-f]+)$/gm);
  return [...pending].some(([, mask]) => (BigInt(`0x${mask}`) & (1n << 8n)) !== 0n);
}

function kilobytes(status: string, field: string): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) * 1_024;
}
