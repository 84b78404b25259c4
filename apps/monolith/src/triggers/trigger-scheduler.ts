import type { Clock, Logger, Timer, Trigger, TriggerFiring, TriggerStore } from '@ravi/kernel';
import { readPages } from '@ravi/support';
import type { Claims } from './claim-due.ts';
import type { StartFiring } from './start-firing.ts';

/** Options of {@link startTriggerScheduler}. */
export interface TriggerSchedulerOptions {
  readonly store: TriggerStore;
  readonly claims: Claims;
  readonly startFiring: StartFiring;
  /** Milliseconds after which another server starts the run of a firing that is still pending. */
  readonly leaseMs: number;
  /** Longest time between two looks at the store, in which other servers add triggers and messages arrive. */
  readonly pollMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Triggers that fire. Disposing it waits until the starts in progress are settled. */
export interface TriggerScheduler extends AsyncDisposable {
  /** Looks at the store at once: a trigger was added. */
  wake(): void;
  /** Claims nothing any more. */
  stop(): void;
}

/** Fires the due triggers of a store, until it is stopped. */
export function startTriggerScheduler(options: TriggerSchedulerOptions): TriggerScheduler {
  const { store, claims, startFiring, leaseMs, pollMs, clock, logger } = options;
  let isStopped = false;
  let isWoken = false;
  let timer: Timer | undefined;
  let working: Promise<void> | undefined;
  /** True if the last pass claimed something: more may be due. */
  let hasClaimed = false;
  let lookedAt = 0;
  const reported = new Set<string>();

  function work(): void {
    timer?.cancel();
    timer = undefined;
    isWoken = false;
    hasClaimed = false;
    lookedAt = clock.now();
    working = fireAll()
      .then(waitMs)
      .catch((error: unknown) => {
        logger.error('the triggers could not be read', { error });
        return pollMs;
      })
      .then((delayMs) => {
        working = undefined;
        if (isStopped) return;
        if (isWoken) work();
        else timer = clock.setTimer(work, delayMs, { isBackground: true });
      });
  }

  async function fireAll(): Promise<void> {
    await Promise.all([eachDue(), eachWatching(), eachPending()]);
  }

  async function eachDue(): Promise<void> {
    const { items, corrupt } = await store.due(lookedAt);
    report(corrupt);
    await Promise.all(items.map((trigger) => fire(trigger, claims.ofTimes)));
  }

  async function eachWatching(): Promise<void> {
    for await (const { items, corrupt } of readPages((page) => store.watching(lookedAt, page))) {
      report(corrupt);
      await Promise.all(items.map((trigger) => fire(trigger, claims.ofMessages)));
      if (isStopped) return;
    }
  }

  // Firings of a process that ended, and those that could not start earlier.
  async function eachPending(): Promise<void> {
    const now = clock.now();
    const { items, corrupt } = await store.take({ now, retryAt: now + leaseMs });
    report(corrupt);
    await startAll(items);
  }

  async function fire(trigger: Trigger, claim: (trigger: Trigger) => Promise<readonly TriggerFiring[]>): Promise<void> {
    if (isStopped) return;
    try {
      const firings = await claim(trigger);
      hasClaimed = true;
      await startAll(firings);
    } catch (error) {
      logger.error('a trigger could not fire', { triggerId: trigger.id, error });
    }
  }

  async function startAll(firings: readonly TriggerFiring[]): Promise<void> {
    for (const firing of firings) {
      try {
        await startFiring(firing);
      } catch (error) {
        const { triggerId, slot } = firing;
        logger.error('the run of a trigger could not be settled; it is tried again', { triggerId, slot, error });
      }
    }
  }

  function report(corrupt: readonly Error[]): void {
    for (const error of corrupt) {
      if (reported.has(error.message)) continue;
      reported.add(error.message);
      logger.error('a trigger is damaged and does not fire', { error });
    }
  }

  async function waitMs(): Promise<number> {
    const next = await store.nextDueAt();
    if (next === undefined) return pollMs;
    // One that was due and stays so cannot be claimed: it is damaged, or the store fails.
    if (next <= lookedAt && !hasClaimed) return pollMs;
    return Math.min(pollMs, Math.max(0, next - clock.now()));
  }

  work();
  return {
    wake() {
      isWoken = true;
      if (working === undefined && !isStopped) work();
    },
    stop() {
      isStopped = true;
      timer?.cancel();
    },
    async [Symbol.asyncDispose]() {
      isStopped = true;
      timer?.cancel();
      await working;
    },
  };
}
