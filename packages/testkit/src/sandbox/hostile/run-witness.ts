import { setImmediate } from 'node:timers/promises';
import { forgetPeak, namespaceOf, readProcess } from './process-reading.ts';
import type { ProcessReading } from './process-reading.ts';

/** Observations of host and guest during one run. */
export interface RunTestimony {
  /** True if the script started. One that cannot be compiled does not start. */
  readonly hasBegun: boolean;
  /** The process of the guest, when it was seen. */
  readonly pid: number | undefined;
  /** Growth of the guest's memory over its initial size, in bytes. */
  readonly memoryBytes: number;
  /** Part of that growth at the moment when the host was scheduled again after other work of the machine. */
  readonly unwatchedBytes: number;
  readonly cpuTimeMs: number;
  /** The longest time that the host computed without a turn of its event loop, in milliseconds. */
  readonly hostBusyMs: number;
  /** The longest time without a turn of the host's event loop, the machine's other work included. */
  readonly hostPauseMs: number;
}

/** Looks on while a script runs. */
export interface RunWitness {
  /**
   * The script has begun: measures from here. Without the name of its namespace of processes its process is the only one,
   * once that of an earlier run is gone.
   */
  begin(namespace: string): Promise<void>;
  end(): RunTestimony;
}

const tickMs = 5;
const patienceMs = 2_000;

/** `processes` gives the guests of the moment. */
export function createRunWitness(processes: (() => readonly number[]) | undefined): RunWitness {
  let hasBegun = false;
  let pid: number | undefined;
  let first: ProcessReading | undefined;
  let last: ProcessReading | undefined;
  let hostBusyMs = 0;
  let hostPauseMs = 0;
  let unwatchedBytes = 0;
  let tickedAt = performance.now();
  let spentMs = threadTimeMs();
  const ticks = setInterval(look, tickMs);

  return {
    async begin(namespace) {
      hasBegun = true;
      pid = namespace === '' ? await onlyProcess() : processes?.().find((id) => namespaceOf(id) === namespace);
      if (pid === undefined) return;
      forgetPeak(pid);
      first = last = readProcess(pid);
    },
    end() {
      look();
      clearInterval(ticks);
      return {
        hasBegun,
        pid,
        memoryBytes: risenBytes(),
        unwatchedBytes,
        cpuTimeMs: (last?.cpuTimeMs ?? 0) - (first?.cpuTimeMs ?? 0),
        hostBusyMs,
        hostPauseMs,
      };
    },
  };

  async function onlyProcess(): Promise<number | undefined> {
    if (processes === undefined) return undefined;
    for (const giveUpAt = performance.now() + patienceMs; performance.now() < giveUpAt; await setImmediate()) {
      const [id, ...others] = processes();
      if (others.length === 0) return id;
    }
    return undefined;
  }

  function risenBytes(): number {
    return (last?.peakBytes ?? 0) - (first?.residentBytes ?? 0);
  }

  function look(): void {
    const now = performance.now();
    const spent = threadTimeMs();
    const pauseMs = now - tickedAt - tickMs;
    hostPauseMs = Math.max(hostPauseMs, pauseMs);
    // A pause in which the host did not compute is the machine's, not the guest's doing.
    hostBusyMs = Math.max(hostBusyMs, Math.min(pauseMs, spent - spentMs));
    const seen = pid === undefined ? undefined : readProcess(pid);
    if (seen !== undefined) last = { ...seen, peakBytes: Math.max(seen.peakBytes, last?.peakBytes ?? 0) };
    if (pauseMs - (spent - spentMs) > tickMs) unwatchedBytes = risenBytes();
    tickedAt = performance.now();
    spentMs = threadTimeMs();
  }
}

function threadTimeMs(): number {
  // Node 22 knows the time of the whole process only.
  const { user, system } = (process.threadCpuUsage ?? process.cpuUsage)();
  return (user + system) / 1_000;
}
