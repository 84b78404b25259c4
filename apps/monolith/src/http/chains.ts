import { Hono } from 'hono';
import type { HttpAppOptions } from './app.ts';
import { problem } from './problem.ts';
import { isObject, limitBody, readBody } from './read-body.ts';
import { tightenPolicy } from './tighten-policy.ts';

// A script is at most `maxSourceBytes`; JSON writes a control character in six bytes, and the policy needs little.
const escapedBytesPerByte = 6;
const policyBytes = 4_096;

/**
 * `POST /` runs a script and answers with its `ChainRunResult`. With a state store the run goes on without its client,
 * and the answer has its `runId`; else it is cancelled when the client leaves.
 */
export function chainRoutes({ invoker, runChain, durableChains, approvalMode }: HttpAppOptions): Hono {
  const { policy } = invoker;
  const routes = new Hono();
  routes.post('/', limitBody(policy.maxSourceBytes * escapedBytesPerByte + policyBytes), async (context) => {
    const { code, policy: requested = {} } = await readBody(context, ['code', 'policy']);
    if (typeof code !== 'string') throw problem('E_REQUEST_INVALID', '"code" must be text: the script to run');
    if (!isObject(requested)) throw problem('E_REQUEST_INVALID', '"policy" must be a JSON object');
    const tightened = tightenPolicy(requested, policy);
    if (durableChains !== undefined) {
      return context.json(await durableChains.start({ code, policy: tightened, approvals: approvalMode }));
    }
    const { signal } = context.req.raw;
    return context.json(await runChain({ code, policy: tightened, signal }));
  });
  return routes;
}
