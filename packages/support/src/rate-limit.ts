import type { Clock } from '@ravi/kernel';

/** Rate limit per client. */
export interface RateLimit {
  /** Takes one from the client's allowance. If it is used up, returns the milliseconds until one is available. */
  take(client: string): number | undefined;
}

interface Allowance {
  readonly left: number;
  readonly at: number;
}

const minuteMs = 60_000;
const maxClients = 10_000;

/**
 * Creates a token bucket per client: `perMinute` at once, refilled evenly over each minute. Remembers 10,000 clients and
 * forgets the least recently seen first.
 */
export function createRateLimit(perMinute: number, clock: Clock): RateLimit {
  const clients = new Map<string, Allowance>();
  const msPerOne = minuteMs / perMinute;

  function allowanceOf(client: string): Allowance {
    const at = clock.monotonic();
    const known = clients.get(client);
    if (known === undefined) return { left: perMinute, at };
    return { left: Math.min(perMinute, known.left + (at - known.at) / msPerOne), at };
  }

  function waitFor({ left }: Allowance): number | undefined {
    return left >= 1 ? undefined : Math.ceil((1 - left) * msPerOne);
  }

  return {
    take(client) {
      const allowance = allowanceOf(client);
      const waitMs = waitFor(allowance);
      if (waitMs !== undefined) return waitMs;
      clients.delete(client);
      clients.set(client, { left: allowance.left - 1, at: allowance.at });
      const [oldest] = clients.keys();
      if (clients.size > maxClients && oldest !== undefined) clients.delete(oldest);
      return undefined;
    },
  };
}
