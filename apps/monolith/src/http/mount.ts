import type { Context, Hono, MiddlewareHandler } from 'hono';
import { localCaller } from '../access/caller.ts';
import type { Operation } from './operation.ts';
import { limitBody, readBody } from './read-body.ts';
import { bodyValidator, queryValidator } from './validate.ts';

const defaultBodyBytes = 4_194_304;

/** Serves operations: body limit, checks, answer. */
export function mount(app: Hono, operations: readonly Operation[]): void {
  for (const operation of operations) {
    const path = operation.path.replaceAll(/\{(\w+)\}/g, ':$1');
    const limits = operation.body === undefined ? [] : [limitBody(operation.maxBodyBytes ?? defaultBodyBytes)];
    const handlers: MiddlewareHandler[] = [...limits, handlerOf(operation)];
    app.on(operation.method.toUpperCase(), [path], ...handlers);
  }
}

function handlerOf({ query = {}, body: schema, answer }: Operation): (context: Context) => Promise<Response> {
  const checkQuery = queryValidator(query);
  const checkBody = schema === undefined ? undefined : bodyValidator(schema);
  return async (context) => {
    const { req } = context;
    const asked = req.query();
    checkQuery(asked);
    const body = checkBody === undefined ? {} : await readBody(context);
    checkBody?.(body);
    const { headers, signal } = req.raw;
    const answered = await answer({ caller: localCaller, params: req.param(), query: asked, body, headers, signal });
    return answered instanceof Response ? answered : context.json(answered ?? {});
  };
}
