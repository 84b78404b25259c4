import { readFileSync } from 'node:fs';

/** Resident memory of a process during a measurement, in bytes. */
export interface MemoryWatch extends Disposable {
  readonly start: number;
  readonly peak: number;
  now(): number;
}

const everyMs = 100;

/** Watches a process of this machine. */
export function watchMemory(pid: number): MemoryWatch {
  const now = (): number => residentBytes(pid);
  const start = now();
  let peak = start;
  const timer = setInterval(() => (peak = Math.max(peak, now())), everyMs);
  return {
    start,
    now,
    get peak() {
      return Math.max(peak, now());
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

function residentBytes(pid: number): number {
  const [, kilobytes = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1_024;
}
