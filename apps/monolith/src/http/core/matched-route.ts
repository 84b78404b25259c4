import type { Context } from 'hono';
import { matchedRoutes } from 'hono/route';

const everything = '/*';

/** Returns the route of a request, such as `/v1/runs/:id`; `/*` if only middleware matched. */
export function matchedRoute(context: Context): string {
  return matchedRoutes(context).find(({ path }) => path !== everything)?.path ?? everything;
}
