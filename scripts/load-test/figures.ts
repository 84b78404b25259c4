import { readFileSync } from 'node:fs';

/** Result of one kind of load. Times are milliseconds. */
export interface Figures {
  readonly what: string;
  /** Number of correct responses or events. */
  readonly done: number;
  /** Wrong or missing responses and events, counted by fault. */
  readonly faults: ReadonlyMap<string, number>;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Counts answers of one kind of load. */
export interface Tally {
  right(latencyMs: number): void;
  wrong(reason: string): void;
  /** The figures, with the time from the beginning of the tally to now. */
  figures(): Figures;
}

/** A tally that begins now. */
export function startTally(what: string): Tally {
  const latencies: number[] = [];
  const faults = new Map<string, number>();
  const started = performance.now();
  return {
    right: (latencyMs) => void latencies.push(latencyMs),
    wrong: (reason) => void faults.set(reason, (faults.get(reason) ?? 0) + 1),
    figures() {
      const seconds = (performance.now() - started) / 1_000;
      const sorted = Float64Array.from(latencies).sort();
      return {
        what,
        done: sorted.length,
        faults,
        perSecond: sorted.length / seconds,
        p50: percentile(sorted, 0.5),
        p99: percentile(sorted, 0.99),
        max: sorted.at(-1) ?? 0,
      };
    },
  };
}

/** The value that `share` of the sorted values do not exceed; 0 when there are none. */
export function percentile(sorted: Float64Array, share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

/** Processor time of a process so far, in milliseconds; it does not depend on other programs. */
export function processorMs(pid: number): number {
  return sumOfTicks(pid, [userTicks, systemTicks]);
}

/** Processor time of a process and its children so far, also of those that have ended, in milliseconds. */
export function processorMsOfFamily(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  const living = children.map((child) => {
    try {
      return processorMs(Number(child));
    } catch {
      // It has ended since; its time is in that of its parent, which is read afterwards.
      return 0;
    }
  });
  const own = sumOfTicks(pid, [userTicks, systemTicks, userTicks + 2, systemTicks + 2]);
  return living.reduce((sum, each) => sum + each, own);
}

// Places in `/proc/<pid>/stat` after the name; those of ended children are two places further.
const userTicks = 11;
const systemTicks = 12;
const tickMs = 10;

function sumOfTicks(pid: number, places: readonly number[]): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return places.reduce((sum, place) => sum + Number(fields[place]), 0) * tickMs;
}
