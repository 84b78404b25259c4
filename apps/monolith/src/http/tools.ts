import { Hono } from 'hono';
import { describeTools } from '../describe-tool.ts';
import type { HttpAppOptions } from './app.ts';
import { problem } from './problem.ts';
import { isObject, limitBody, readBody } from './read-body.ts';

const maxBodyBytes = 4_194_304;

/** `GET /` lists the tools, `POST /:name` calls one through the invoker in a session of its own. */
export function toolRoutes({ toolbox, invoker, lifetime }: HttpAppOptions): Hono {
  const routes = new Hono();
  routes.get('/', (context) => context.json({ tools: describeTools(toolbox, invoker.policy) }));
  routes.post('/:name', limitBody(maxBodyBytes), async (context) => {
    const body = await readBody(context, ['arguments']);
    const args = body['arguments'] ?? {};
    if (!isObject(args)) throw problem('E_REQUEST_INVALID', '"arguments" must be a JSON object');
    await using session = invoker.openSession({ signal: AbortSignal.any([lifetime, context.req.raw.signal]) });
    return context.json(await invoker.invoke({ name: context.req.param('name'), args }, { session }));
  });
  return routes;
}
