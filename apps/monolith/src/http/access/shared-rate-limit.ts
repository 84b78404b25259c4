import type { Clock, Logger, RateStore } from '@ravi/kernel';
import { createRateLimit } from '@ravi/support';
import type { RateLimit } from '@ravi/support';

/** Options of {@link createSharedRateLimit}. */
export interface SharedRateLimitOptions {
  /** Name of the limit in the store. */
  readonly limit: string;
  readonly perMinute: number;
  /** Uses of one client that this process counts before it charges them together. */
  readonly block: number;
  /** Allowances of all servers; absent if this process is the only one. */
  readonly rates: RateStore | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

const failuresPerMinute = 20;
// Invented tokens from many addresses must not become as many writes.
const failuresPerWrite = 5;

/** Creates the limit of 20 unknown tokens per minute from one address. */
export function createFailureLimit(options: Omit<SharedRateLimitOptions, 'perMinute' | 'block'>): RateLimit {
  return createSharedRateLimit({ ...options, perMinute: failuresPerMinute, block: failuresPerWrite });
}

/** Uses of a client that are not charged yet, and the time until which the store refuses it. */
interface Account {
  uncharged: number;
  isCharging: boolean;
  refusedUntil: number;
}

const maxClients = 10_000;
const leastPauseMs = 1_000;

/**
 * Creates a rate limit that all servers of a state store share. Each server holds its clients to the limit on its own, counts
 * their uses and charges them to the store in blocks, without a wait for the answer. A client that has used up the allowance in the
 * store is then refused until it has one left, for at least a second. So all servers together exceed the limit by at most one
 * block per server, and by what arrives while a block is charged. While the store is unavailable the limit holds for each server.
 */
export function createSharedRateLimit(options: SharedRateLimitOptions): RateLimit {
  const { limit, perMinute, block, rates, clock, logger } = options;
  const own = createRateLimit(perMinute, clock);
  if (rates === undefined) return own;
  const accounts = new Map<string, Account>();

  function accountOf(client: string): Account {
    const account = accounts.get(client) ?? { uncharged: 0, isCharging: false, refusedUntil: 0 };
    accounts.delete(client);
    accounts.set(client, account);
    const [oldest] = accounts.keys();
    if (accounts.size > maxClients && oldest !== undefined) accounts.delete(oldest);
    return account;
  }

  async function charge(client: string, account: Account, store: RateStore): Promise<void> {
    account.isCharging = true;
    try {
      while (account.uncharged >= block) {
        const amount = account.uncharged;
        account.uncharged = 0;
        const waitMs = await store.charge({ limit, client, amount, perMinute });
        if (waitMs !== undefined) account.refusedUntil = clock.monotonic() + Math.max(waitMs, leastPauseMs);
      }
    } catch (error) {
      logger.warn('requests could not be counted together with other servers', { limit, error });
    } finally {
      account.isCharging = false;
    }
  }

  return {
    take(client) {
      const account = accountOf(client);
      const refusedMs = account.refusedUntil - clock.monotonic();
      if (refusedMs > 0) return Math.ceil(refusedMs);
      const waitMs = own.take(client);
      if (waitMs !== undefined) return waitMs;
      account.uncharged++;
      if (account.uncharged >= block && !account.isCharging) void charge(client, account, rates);
      return undefined;
    },
  };
}
