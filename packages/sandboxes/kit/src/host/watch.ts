import type { EndingLimit, SandboxRequest } from '@ravi/kernel';
import { guestLookMs } from '../child/source.ts';
import type { ProcessUsage } from './process-usage.ts';

/** Watch of the host over a run. */
export interface Watch {
  guestIsBusy(): void;
  guestWaits(): void;
  stop(): void;
}

const longestIntervalMs = 5;
const shortestIntervalMs = 1;
/** Interval while a guest claims to wait: it may lie, but its usage is counted anyway. */
const waitingMs = 100;
/** A script fills memory as fast as the system clears pages, a few megabytes per millisecond. */
const filledBytesPerMs = 4 * 1_024 * 1_024;
/** Node fires a timer with a longer delay at once. */
const longestTimerMs = 2_147_483_647;
/**
 * The guest enforces its processor time where it can, which keeps its console output. The host enforces it later, but a
 * script that prevents the guest from doing so is gone half a second after its time.
 */
const cpuGraceMs = 300;
/** Memory that a run may use in addition to its data: compiled code, garbage not yet collected, frames in transit. */
const memoryHeadroomBytes = 4 * 1_024 * 1_024;

/**
 * Creates the watch of a run. It ends the run at its wall-clock limit (extended by the time that humans took) and, where
 * the system reports usage (`/proc`), at its memory and processor limits. It checks often while the guest computes, more
 * often the less memory is left, and rarely while the guest claims to wait.
 */
export function createWatch(options: {
  readUsage(): ProcessUsage | undefined;
  /** Usage of the process before the run; absent if the system does not report it. */
  readonly baseline: ProcessUsage | undefined;
  readonly request: SandboxRequest;
  /** Memory that the process may take for the code that it compiles. */
  readonly compiledBytes: number;
  onLimit(limit: EndingLimit, reached?: number): void;
}): Watch {
  const { baseline, request, compiledBytes, onLimit } = options;
  const { limits } = request;
  const startedAt = performance.now();
  let busy = true;
  let answers = 0;
  let lookedAt = startedAt;
  let deadline = setTimeout(checkDeadline, Math.min(limits.wallTimeMs, longestTimerMs));
  let nextLook = baseline === undefined ? undefined : setTimeout(look, longestIntervalMs);

  return {
    guestIsBusy() {
      busy = true;
      answers++;
    },
    guestWaits: () => void (busy = false),
    stop() {
      clearTimeout(deadline);
      clearTimeout(nextLook);
    },
  };

  function checkDeadline(): void {
    const leftMs = limits.wallTimeMs + (request.humanWaitMs?.() ?? 0) - (performance.now() - startedAt);
    if (leftMs <= 0) onLimit('wall');
    else deadline = setTimeout(checkDeadline, Math.min(Math.ceil(leftMs), longestTimerMs));
  }

  function look(): void {
    const now = performance.now();
    const usage = busy || now - lookedAt >= waitingMs ? options.readUsage() : undefined;
    if (usage === undefined || baseline === undefined) {
      nextLook = setTimeout(look, longestIntervalMs);
      return;
    }
    lookedAt = now;
    const memory = usage.residentBytes - baseline.residentBytes;
    const leftBytes = limits.memoryBytes + memoryHeadroomBytes + compiledBytes - memory;
    if (leftBytes < 0) return onLimit('memory', memory);
    // Minus the time for which it polled for replies, counted by the host, because a guest could claim any number.
    const cpu = usage.cpuTimeMs - baseline.cpuTimeMs - answers * guestLookMs;
    if (cpu > limits.cpuTimeMs + cpuGraceMs) return onLimit('cpu', cpu);
    const fullInMs = leftBytes / filledBytesPerMs;
    nextLook = setTimeout(look, Math.max(shortestIntervalMs, Math.min(fullInMs, longestIntervalMs)));
  }
}
