import type { Clock, LeaseStore, Logger, Timer } from '@ravi/kernel';

/** Options of {@link whileLeased}. */
export interface WhileLeasedOptions {
  readonly leases: LeaseStore;
  /** Name of the lease. */
  readonly name: string;
  /** Name of this process, unique to each start of it. */
  readonly owner: string;
  /** Starts the work. It is disposed when another process may have the lease. */
  start(): AsyncDisposable;
  readonly clock: Clock;
  readonly logger: Logger;
}

const leaseMs = 60_000;
const renewalMs = leaseMs / 3;

/**
 * Does work in one process of all that share a state store: while this one has a lease. It asks for the lease now and three times within
 * its length, until disposed, so another process takes over at most 80 seconds after the one that had it was killed, and within 20 seconds
 * after it was disposed. Work that its disposal waits for may overlap with that of the next process.
 */
export function whileLeased({ leases, name, owner, start, clock, logger }: WhileLeasedOptions): AsyncDisposable {
  let work: AsyncDisposable | undefined;
  let stopping: Promise<void> | undefined;
  let isOver = false;
  let isUnavailable = false;
  let timer: Timer | undefined;
  let expiry: Timer | undefined;
  let heldUntil = -Infinity;
  let asking = ask();

  async function ask(): Promise<void> {
    const askedAt = clock.monotonic();
    try {
      const isOurs = await leases.acquire(name, { owner, forMs: leaseMs });
      isUnavailable = false;
      if (isOurs) keepUntil(askedAt + leaseMs);
      else loseIt();
    } catch (error) {
      // Until its time is over the lease is as it was.
      if (!isUnavailable) logger.warn('a lease could not be renewed; will retry', { lease: name, error });
      isUnavailable = true;
    }
    if (!isOver) timer = clock.setTimer(() => void (asking = ask()), renewalMs, { isBackground: true });
  }

  function keepUntil(end: number): void {
    heldUntil = end;
    expiry?.cancel();
    if (isOver) return;
    expiry = clock.setTimer(stop, end - clock.monotonic(), { isBackground: true });
    // The last execution of earlier work may not have ended yet.
    if (stopping === undefined) work ??= start();
  }

  function loseIt(): void {
    heldUntil = -Infinity;
    stop();
  }

  function stop(): void {
    expiry?.cancel();
    if (work === undefined) return;
    const stopped = work;
    work = undefined;
    stopping = Promise.resolve(stopped[Symbol.asyncDispose]())
      .catch((error: unknown) => logger.error('the work under a lease could not be ended', { lease: name, error }))
      .finally(() => (stopping = undefined));
  }

  return {
    async [Symbol.asyncDispose]() {
      isOver = true;
      timer?.cancel();
      await asking;
      stop();
      await stopping;
      if (clock.monotonic() >= heldUntil) return;
      try {
        await leases.release(name, owner);
      } catch (error) {
        // It ends at its time.
        logger.warn('a lease could not be released', { lease: name, error });
      }
    },
  };
}
