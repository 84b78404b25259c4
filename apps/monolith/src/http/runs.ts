import type { Run } from '@ravi/kernel';
import { Hono } from 'hono';
import type { HttpAppOptions } from './app.ts';
import { problem } from './problem.ts';

// Whoever reaches this server is the one who runs it.
const principal = 'local';

/** `GET /:id` tells how a durable run stands, `POST /:id/resume` goes on with it; without a state store there are none. */
export function runRoutes({ durableChains, stateStore }: HttpAppOptions): Hono {
  const routes = new Hono();
  if (durableChains === undefined || stateStore === undefined) return routes;

  async function find(runId: string): Promise<Run> {
    const run = await durableChains?.get(runId);
    if (run?.principal !== principal) throw problem('E_RUN_NOT_FOUND', `There is no run "${runId}"`);
    return run;
  }

  routes.get('/:id', async (context) => {
    const { id: runId, status, sessionId, createdAt, updatedAt, outcome } = await find(context.req.param('id'));
    const { items } = await stateStore.approvals.list({ runId, status: 'pending' });
    const pendingApprovals = items.map(({ request: { id, tool, expiresAt } }) => ({ id, tool, expiresAt }));
    return context.json({ runId, status, sessionId, createdAt, updatedAt, pendingApprovals, ...outcome });
  });
  routes.post('/:id/resume', async (context) => {
    const { id } = await find(context.req.param('id'));
    return context.json(await durableChains.resume(id));
  });
  return routes;
}
