import { availableParallelism } from 'node:os';
import { KernelError } from '@ravi/kernel';
import { createFairQueue } from './fair-queue.ts';
import { startGuestProcess } from './guest-process.ts';
import type { GuestProcess } from './guest-process.ts';
import type { GuestEnd, LaunchGuest } from './link.ts';
import type { PoolOptions } from './pool-options.ts';

/** Guest processes, lent to one run at a time. */
export interface GuestPool {
  /**
   * Waits for a process that is fresh or belongs to `principal`; `undefined` when `signal` aborts first.
   * @throws KernelError `E_SANDBOX_UNAVAILABLE` when processes do not start or the pool is closed
   */
  acquire(principal: string, signal: AbortSignal | undefined): Promise<GuestProcess | undefined>;
  /**
   * Tells processes that nobody has used yet what the next run will probably look like: each gets `frame` once, and is
   * ready again when it answers.
   */
  rehearse(frame: string): void;
  /** Gives a process back; one that is not to be used again is ended. */
  release(guest: GuestProcess, reusable: boolean): void;
  /** Ends every process and waits until they are gone; waiting runs are refused. */
  close(): Promise<void>;
}

interface Waiter {
  readonly grant: (guest: GuestProcess | undefined) => void;
  readonly refuse: (error: KernelError) => void;
}

const prewarmDelayMs = 10;
/** Processes that start at the same time only hold each other up. */
const maxStarting = Math.max(2, availableParallelism());

/** A pool that fills itself up to `poolSize` from the start. */
export function createGuestPool(launch: LaunchGuest, options: PoolOptions): GuestPool {
  const { maxProcesses, maxRunsPerProcess } = options;
  const poolSize = Math.min(options.poolSize, maxProcesses);
  const queue = createFairQueue<Waiter>();
  const running = new Set<GuestProcess>();
  const alive = new Set<GuestProcess>();
  const starting = new Set<GuestProcess>();
  const idle = new Set<GuestProcess>();
  const lent = new Set<GuestProcess>();
  const rehearsed = new WeakSet<GuestProcess>();
  let rehearsal: string | undefined;
  let prewarming: NodeJS.Timeout | undefined;
  let closed = false;
  let startsToTryAgain = 0;

  prewarm();
  return {
    acquire(principal, signal) {
      return new Promise((grant, refuse) => {
        if (closed) return refuse(unavailable('The sandbox is closed'));
        const waiter: Waiter = {
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
    queue.offer((principal, waiter) => {
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
    while (starting.size < Math.min(queue.size, maxStarting) && alive.size < maxProcesses) start();
    prewarmSoon();
    keepHostAlive();
  }

  /** Starting a process holds up the host for milliseconds: a short run is over before that. */
  function prewarmSoon(): void {
    prewarming ??= setTimeout(() => {
      prewarming = undefined;
      prewarm();
    }, prewarmDelayMs).unref();
  }

  /** The match that was in use last: its memory is most likely still in the processor's caches. */
  function find(matches: (guest: GuestProcess) => boolean): GuestProcess | undefined {
    return Array.from(idle).findLast(matches);
  }

  function lend(guest: GuestProcess, principal: string, waiter: Waiter): void {
    idle.delete(guest);
    lent.add(guest);
    guest.principal = principal;
    guest.runs++;
    waiter.grant(guest);
  }

  /** Room for one more process, if need be in the place of the one that has been idle longest. */
  function makeRoom(): boolean {
    if (alive.size < maxProcesses) return true;
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

  /** A process without a user rehearses first, unless a run waits for it or it has done so. */
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
   * A process that ends before it was ready says that none will start: whoever waits learns it now. Where one was ready
   * before, somebody may have ended those that were starting, and as many as there can be are tried again.
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
    while (fresh < poolSize && alive.size < maxProcesses && starting.size < maxStarting) {
      start();
      fresh++;
    }
  }

  /** An idle pool must not keep the host alive; a run, or one that waits, must. */
  function keepHostAlive(): void {
    const active = queue.size > 0 || lent.size > 0;
    for (const guest of alive) guest.keepAlive(active);
  }
}

function unavailable(message: string, cause?: string): KernelError {
  return new KernelError('E_SANDBOX_UNAVAILABLE', message, { cause, retryable: true });
}
