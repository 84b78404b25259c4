import type { HttpServices } from './context.ts';

/** Ends requests whose time is over, so that nobody is shown them as open; the moment that counts as now. */
export async function endOverdue({
  store,
  clock,
  feed,
}: Pick<HttpServices, 'store' | 'clock' | 'feed'>): Promise<number> {
  const now = clock.now();
  const { items } = await store.expire(now);
  if (items.length > 0) feed.nudge();
  return now;
}
