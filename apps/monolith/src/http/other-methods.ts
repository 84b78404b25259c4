import type { Hono } from 'hono';
import { routeOf } from './operation.ts';
import type { Operation } from './operation.ts';
import { problem } from './problem.ts';

/** Refuses, on the paths of operations, every method that none of them has. Mounted after them. */
export function refuseOtherMethods(app: Hono, operations: readonly Operation[]): void {
  const methods = Map.groupBy(operations, ({ path }) => path);
  for (const [path, ofPath] of methods) {
    const allowed = ofPath.map(({ method }) => method.toUpperCase());
    const allow = [...allowed, ...(allowed.includes('GET') ? ['HEAD'] : [])].join(', ');
    app.all(routeOf(path), (context) => {
      context.header('allow', allow);
      throw problem('E_METHOD_NOT_ALLOWED', `${context.req.path} takes ${allow}`);
    });
  }
}
