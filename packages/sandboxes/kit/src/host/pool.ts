import { availableParallelism } from 'node:os';
import { KernelError } from '@ravi/kernel';
import { createFairQueue } from './fair-queue.ts';
import { startGuestProcess } from './guest-process.ts';
import type { GuestProcess } from './guest-process.ts';
import type { GuestEnd, LaunchGuest } from './link.ts';
import { createLentGuests } from './lent-guests.ts';
import type { PoolOptions } from './pool-options.ts';

/** Pool of guest processes, each used by one run at a time. */
export interface GuestPool {
  /**
   * Waits for a process that is unused or belongs to `principal`; resolves to `undefined` if `signal` aborts first. A process
   * does not count as running while `humanWaitMs` grows.
   * @throws KernelError `E_SANDBOX_UNAVAILABLE` when processes do not start or the pool is closed
   */
  acquire(
    principal: string,
    signal: AbortSignal | undefined,
    humanWaitMs?: () => number,
  ): Promise<GuestProcess | undefined>;
  /**
   * Prepares unused processes for the probable next run: each receives `frame` once and is ready again when it replies.
   */
  rehearse(frame: string): void;
  /** Returns a process to the pool; ends it if it must not be used again. */
  release(guest: GuestProcess, reusable: boolean): void;
  /** Ends every process and waits until they are gone; refuses waiting runs. */
  close(): Promise<void>;
}

interface Waiter {
  readonly humanWaitMs: (() => number) | undefined;
  readonly grant: (guest: GuestProcess | undefined) => void;
  readonly refuse: (error: KernelError) => void;
}

const prewarmDelayMs = 10;
/** Interval at which the pool looks for scripts that wait for a person, while other scripts wait for a process. */
const parkingIntervalMs = 50;
/** Maximum number of processes that start at once, because more only slow each other down. */
const maxStarting = Math.max(2, availableParallelism());

/** Creates a pool that fills itself up to `poolSize` at once. */
export function createGuestPool(launch: LaunchGuest, options: PoolOptions): GuestPool {
  const { maxProcesses, maxParked, maxRunsPerProcess } = options;
  const poolSize = Math.min(options.poolSize, maxProcesses);
  const queue = createFairQueue<Waiter>();
  const running = new Set<GuestProcess>();
  const alive = new Set<GuestProcess>();
  const starting = new Set<GuestProcess>();
  const idle = new Set<GuestProcess>();
  const lent = createLentGuests(maxParked);
  const rehearsed = new WeakSet<GuestProcess>();
  let rehearsal: string | undefined;
  let prewarming: NodeJS.Timeout | undefined;
  let parking: NodeJS.Timeout | undefined;
  let closed = false;
  let startsToTryAgain = 0;

  prewarm();
  return {
    acquire(principal, signal, humanWaitMs) {
      return new Promise((grant, refuse) => {
        if (closed) return refuse(unavailable('The sandbox is closed'));
        const waiter: Waiter = {
          humanWaitMs,
          refuse(error) {
            signal?.removeEventListener('abort', withdraw);
            refuse(error);
          },
          grant(guest) {
            signal?.removeEventListener('abort', withdraw);
            grant(guest);
          },
        };
        const withdraw = (): void => {
          queue.remove(principal, waiter);
          waiter.grant(undefined);
          keepHostAlive();
        };
        signal?.addEventListener('abort', withdraw, { once: true });
        queue.add(principal, waiter);
        dispatch();
      });
    },
    rehearse(frame) {
      rehearsal = frame;
      for (const guest of Array.from(idle)) if (guest.principal === undefined) becomeReady(guest);
    },
    release(guest, reusable) {
      lent.delete(guest);
      if (!reusable || guest.lost || closed || guest.runs >= maxRunsPerProcess) discard(guest);
      else awaitReady(guest);
      dispatch();
    },
    async close() {
      closed = true;
      clearTimeout(prewarming);
      clearTimeout(parking);
      for (const waiter of queue.drain()) waiter.refuse(unavailable('The sandbox is closed'));
      for (const guest of running) {
        guest.keepAlive(true);
        guest.kill();
      }
      await Promise.all([...running].map((guest) => guest.closed));
    },
  };

  function dispatch(): void {
    if (closed) return;
    const expecting = new Set<Waiter>();
    lent.update();
    queue.offer((principal, waiter) => {
      if (!mayTake(principal)) return false;
      const guest = find((candidate) => candidate.principal === principal) ?? find((candidate) => !candidate.principal);
      if (guest !== undefined) {
        lend(guest, principal, waiter);
        return true;
      }
      if (!expecting.has(waiter) && (starting.size > expecting.size || (starting.size < maxStarting && makeRoom()))) {
        expecting.add(waiter);
        if (starting.size < expecting.size) start();
      }
      return false;
    });
    while (starting.size < Math.min(queue.size, maxStarting) && hasRoom()) start();
    prewarmSoon();
    parkSoon();
    keepHostAlive();
  }

  // The last process is kept for a principal that has none, so that no principal can use up all of them.
  function mayTake(principal: string): boolean {
    return maxProcesses === 1 || lent.running(principal) === 0 || lent.running() + 1 < maxProcesses;
  }

  function hasRoom(): boolean {
    return alive.size - lent.parked < maxProcesses;
  }

  function parkSoon(): void {
    if (queue.size === 0 || lent.size === 0) return;
    parking ??= setTimeout(() => {
      parking = undefined;
      dispatch();
    }, parkingIntervalMs).unref();
  }

  // Starting a process blocks the host for milliseconds, and a short run ends before that.
  function prewarmSoon(): void {
    prewarming ??= setTimeout(() => {
      prewarming = undefined;
      prewarm();
    }, prewarmDelayMs).unref();
  }

  // The most recently used match, because its memory is probably still in the caches of the processor.
  function find(matches: (guest: GuestProcess) => boolean): GuestProcess | undefined {
    return Array.from(idle).findLast(matches);
  }

  function lend(guest: GuestProcess, principal: string, waiter: Waiter): void {
    idle.delete(guest);
    lent.add(guest, principal, waiter.humanWaitMs);
    guest.principal = principal;
    guest.runs++;
    waiter.grant(guest);
  }

  // Makes room for one more process, if necessary by ending the one that has been idle longest.
  function makeRoom(): boolean {
    if (hasRoom()) return true;
    const [oldest] = idle;
    if (oldest === undefined) return false;
    discard(oldest);
    return true;
  }

  function start(): void {
    const guest = startGuestProcess(launch, {
      onFrame: () => becomeReady(guest),
      onLost: (end) => {
        discard(guest);
        failStart(end);
      },
    });
    running.add(guest);
    void guest.closed.then(() => running.delete(guest));
    alive.add(guest);
    starting.add(guest);
  }

  // An unused process rehearses first, unless a run waits for it or it has rehearsed before.
  function becomeReady(guest: GuestProcess): void {
    startsToTryAgain = maxProcesses;
    if (rehearsal === undefined || rehearsed.has(guest) || queue.size > 0) return becomeIdle(guest);
    rehearsed.add(guest);
    idle.delete(guest);
    starting.add(guest);
    awaitReady(guest);
    guest.send(rehearsal);
  }

  function awaitReady(guest: GuestProcess): void {
    guest.listener = {
      onFrame: () => becomeIdle(guest),
      onLost: () => {
        discard(guest);
        dispatch();
      },
    };
  }

  function becomeIdle(guest: GuestProcess): void {
    starting.delete(guest);
    idle.add(guest);
    guest.idleUsage = guest.readUsage();
    guest.listener = {
      onFrame: () => guest.reject('sent a frame while nothing ran'),
      onLost: () => {
        discard(guest);
        dispatch();
      },
    };
    dispatch();
  }

  function discard(guest: GuestProcess): void {
    alive.delete(guest);
    starting.delete(guest);
    idle.delete(guest);
    guest.kill();
  }

  /**
   * A process that ends before it is ready suggests that no process can start, so waiting runs are refused. If a process
   * was ready before, another program may have ended the starting ones, and as many as allowed are tried again.
   */
  function failStart({ reason, error: cause }: GuestEnd): void {
    if (closed) return;
    if (startsToTryAgain > 0) {
      startsToTryAgain--;
      return dispatch();
    }
    const error = unavailable(`The guest process ${reason}`, cause);
    for (const waiter of queue.drain()) waiter.refuse(error);
    keepHostAlive();
  }

  function prewarm(): void {
    let fresh = starting.size - queue.size;
    for (const guest of idle) if (guest.principal === undefined) fresh++;
    while (fresh < poolSize && hasRoom() && starting.size < maxStarting) {
      start();
      fresh++;
    }
  }

  // A run or a waiting run keeps the host alive; an idle pool does not.
  function keepHostAlive(): void {
    const active = queue.size > 0 || lent.size > 0;
    for (const guest of alive) guest.keepAlive(active);
  }
}

function unavailable(message: string, cause?: string): KernelError {
  return new KernelError('E_SANDBOX_UNAVAILABLE', message, { cause, retryable: true });
}
