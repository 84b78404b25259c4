import type { HookManager } from '@ravi/invoker';
import type { JsonObject } from '@ravi/kernel';
import { tokens } from '@ravi/monolith';
import { startServer, stateStoreOf } from '../server.ts';
import { createFaultyStore, requested, watchRefusals } from './faults.ts';
import type { Fault, Outcome } from './faults.ts';
import { breakHooks, createPay } from './world.ts';

/** Path of a call that reaches a server over HTTP. */
export type ServerPath = 'http' | ScriptPath;

type ScriptPath = 'durable-script' | 'approved-set' | 'dry-run';

const pay: string = `tools.pay(${JSON.stringify(requested)})`;

const scripts: Readonly<Record<ScriptPath, object>> = {
  'durable-script': { code: `return ${pay};` },
  'approved-set': { code: `return ${pay};`, approve: 'set' },
  'dry-run': { code: `return JSON.stringify(await ${pay});`, approve: 'set' },
};

/** A real server whose stored approvals meet faults. */
export interface ServerPaths extends AsyncDisposable {
  /** Makes one dangerous call over HTTP. */
  run(path: ServerPath, fault: Fault): Promise<Outcome>;
}

/** Starts the server. */
export async function startServerPaths(): Promise<ServerPaths> {
  const server = await startServer({ policy: { approvalTimeoutMs: 1_500 } }, {}, { isServer: true });
  const { container } = server.monolith;
  const { approvals } = stateStoreOf(server.monolith);
  const feed = container.resolve(tokens.approvalFeed);
  const create = approvals.create.bind(approvals);
  const consume = approvals.consume.bind(approvals);
  const faulty = createFaultyStore(approvals, { create, consume }, () => feed?.checkNow());
  // The services of the server call the store through this object.
  Object.assign(approvals, { create: faulty.store.create, consume: faulty.store.consume });
  const access = container.resolve(tokens.toolAccess);
  const effects: JsonObject[] = [];
  container.resolve(tokens.toolbox).add(createPay(effects));
  const hooks: HookManager = container.resolve(tokens.hooks);
  const refusals = watchRefusals(hooks);
  const post = (path: string, body: object, signal?: AbortSignal): Promise<unknown> =>
    fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      ...(signal === undefined ? {} : { signal }),
    })
      .then((response) => response.text())
      .catch((error: unknown) => error);

  return {
    async run(path, fault) {
      effects.length = 0;
      refusals.length = 0;
      const controller = new AbortController();
      const cancelScript = async (): Promise<void> => {
        for (const { runId } of faulty.requests) await post(`/v1/runs/${runId}/cancel`, {});
      };
      const cancel = path === 'http' ? () => controller.abort() : cancelScript;
      const takeAway = (): void => void access.replace({ toolAccess: { disabled: ['pay'] }, server: { tokens: [] } });
      if (fault === 'not-granted') takeAway();
      faulty.arm(fault, fault === 'taken-away' ? takeAway : cancel);
      const repair = fault === 'faulty-hook' ? breakHooks(hooks) : () => {};
      await (path === 'http'
        ? post('/v1/tools/pay', { args: requested }, controller.signal)
        : post('/v1/chains', scripts[path]));
      await faulty.approveLate();
      repair();
      access.replace({ toolAccess: {}, server: { tokens: [] } });
      return { effects: [...effects], requests: faulty.requests.length, refusals: [...refusals] };
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
