import type { Context } from 'hono';
import { matchedRoutes } from 'hono/route';

const everything = '/*';

/** The route that a request took, as `/v1/runs/:id`; `/*` where only what stands before or behind every route took it. */
export function matchedRoute(context: Context): string {
  return matchedRoutes(context).find(({ path }) => path !== everything)?.path ?? everything;
}
