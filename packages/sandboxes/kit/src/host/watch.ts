import type { EndingLimit, SandboxRequest } from '@ravi/kernel';
import { guestLookMs } from '../child/source.ts';
import type { ProcessUsage } from './process-usage.ts';

/** The host's eye on a run. */
export interface Watch {
  guestIsBusy(): void;
  guestWaits(): void;
  stop(): void;
}

const longestIntervalMs = 5;
const shortestIntervalMs = 1;
/** While a guest says that it waits: it may lie, and cost is counted in the end all the same. */
const waitingMs = 100;
/** A script fills its memory as fast as the system clears pages for it, some megabytes in a millisecond. */
const filledBytesPerMs = 4 * 1_024 * 1_024;
/** Node fires a timer beyond it at once. */
const longestTimerMs = 2_147_483_647;
/**
 * The guest enforces its processor time itself where it can, and keeps its console output then; the host comes later, and
 * soon enough that a script which does not let the guest do so is gone half a second after its time.
 */
const cpuGraceMs = 300;
/** What a run may take beside its own data: compiled code, garbage not yet collected, frames on their way. */
const memoryHeadroomBytes = 4 * 1_024 * 1_024;

/**
 * Ends a run at its wall-clock limit (moved by the time that humans took), and where the system tells (`/proc`) at
 * its memory and processor limits. Looks often while the guest computes, the oftener the less memory it has left, and now
 * and then while it says that it waits.
 */
export function createWatch(options: {
  readUsage(): ProcessUsage | undefined;
  /** What the process had used before the run; absent where the system does not tell. */
  readonly baseline: ProcessUsage | undefined;
  readonly request: SandboxRequest;
  onLimit(limit: EndingLimit, reached?: number): void;
}): Watch {
  const { baseline, request, onLimit } = options;
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
    const leftBytes = limits.memoryBytes + memoryHeadroomBytes - memory;
    if (leftBytes < 0) return onLimit('memory', memory);
    // Less what it looked for answers, counted by the host: a guest could say that it waits as often as it likes.
    const cpu = usage.cpuTimeMs - baseline.cpuTimeMs - answers * guestLookMs;
    if (cpu > limits.cpuTimeMs + cpuGraceMs) return onLimit('cpu', cpu);
    const fullInMs = leftBytes / filledBytesPerMs;
    nextLook = setTimeout(look, Math.max(shortestIntervalMs, Math.min(fullInMs, longestIntervalMs)));
  }
}
