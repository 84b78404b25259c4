import type { Clock, Timer } from '@ravi/kernel';

/** Reports of the time that a run has spent on waiting for people. */
export interface HumanWaitReports {
  /** Looks now: a call begins, or a reply is about to be sent. */
  look(): void;
  stop(): void;
}

/** Interval of the looks while calls are open, and while the time is known to grow. */
const lookMs = 50;
const growingLookMs = 500;
/** A shorter time says too little about a sum of milliseconds. */
const minElapsedMs = 20;
/** Difference to what the node assumes that is worth a report. */
const toleratedMs = 10;

/**
 * Reports to a node what `humanWaitMs` returns, because the time limit of the script is enforced there. A report has the sum so far
 * and whether it grows now; the node adds the time since then. While no call is open no person is asked, so nothing is reported.
 */
export function createHumanWaitReports(options: {
  readonly humanWaitMs: () => number;
  /** Sum that the node knows from the start. */
  readonly startMs: number;
  readonly hasOpenCalls: () => boolean;
  readonly report: (ms: number, isGrowing: boolean) => void;
  readonly clock: Clock;
}): HumanWaitReports {
  const { humanWaitMs, hasOpenCalls, report, clock } = options;
  let seen = { ms: options.startMs, at: clock.monotonic() };
  let reported = { ms: options.startMs, at: seen.at, isGrowing: false };
  let timer: Timer | undefined;
  let isStopped = false;

  return {
    look,
    stop() {
      isStopped = true;
      timer?.cancel();
    },
  };

  function look(): void {
    if (isStopped) return;
    const at = clock.monotonic();
    const ms = humanWaitMs();
    const elapsedMs = at - seen.at;
    const isGrowing = elapsedMs < minElapsedMs ? reported.isGrowing : ms - seen.ms >= elapsedMs / 2;
    if (elapsedMs >= minElapsedMs) seen = { ms, at };
    const assumedMs = reported.ms + (reported.isGrowing ? at - reported.at : 0);
    if (isGrowing !== reported.isGrowing || Math.abs(ms - assumedMs) > toleratedMs) {
      reported = { ms, at, isGrowing };
      report(ms, isGrowing);
    }
    schedule();
  }

  function schedule(): void {
    timer?.cancel();
    timer = undefined;
    if (!hasOpenCalls() && !reported.isGrowing) return;
    timer = clock.setTimer(look, reported.isGrowing ? growingLookMs : lookMs, { isBackground: true });
  }
}
