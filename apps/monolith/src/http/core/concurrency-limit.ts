import type { MiddlewareHandler } from 'hono';
import { localCaller } from '../access/caller.ts';
import type { Caller } from '../access/caller.ts';
import { problem } from './problem.ts';

const retryMs = 1_000;
/** One of so many places is kept for callers that have no request in progress. */
const placesPerReserve = 8;

/**
 * Limits the requests that are handled at once. The last eighth of the places is kept for callers without a request in
 * progress, so that one caller cannot use up all of them.
 */
export function concurrencyLimit(max: number): MiddlewareHandler {
  const activeOf = new Map<string, number>();
  const shared = max - Math.min(max - 1, Math.ceil(max / placesPerReserve));
  let active = 0;

  function enter(principal: string): void {
    const own = activeOf.get(principal) ?? 0;
    if (active >= max) throw problem('E_BUSY', `Server is at its limit of ${max} concurrent requests`, retryMs);
    if (own > 0 && active >= shared) {
      throw problem(
        'E_BUSY',
        `Server keeps its last ${max - shared} of ${max} places for callers without a request`,
        retryMs,
      );
    }
    active++;
    activeOf.set(principal, own + 1);
  }

  function leave(principal: string): void {
    const own = activeOf.get(principal) ?? 0;
    active--;
    if (own > 1) activeOf.set(principal, own - 1);
    else activeOf.delete(principal);
  }

  return async (context, next) => {
    const { principal } = (context.get('caller') as Caller | undefined) ?? localCaller;
    enter(principal);
    try {
      await next();
    } finally {
      leave(principal);
    }
  };
}
