import { api } from '@ravi/api';
import type { Trigger, TriggerStore } from '@ravi/kernel';
import type { TriggerRights } from '../../triggers/trigger-permissions.ts';
import { triggerIdOf } from '../../triggers/trigger-service.ts';
import type { TriggerService } from '../../triggers/trigger-service.ts';
import { maySee } from '../access/caller.ts';
import { implement, listOf, pageOf, Reply } from '../core/implement.ts';
import type { ApiRequest, Endpoint } from '../core/implement.ts';
import { problem } from '../core/problem.ts';
import { readTimes } from './read-times.ts';

/** Services of {@link triggerOperations}. */
export interface TriggerOperationServices {
  readonly store: TriggerStore;
  readonly service: TriggerService;
  readonly rights: TriggerRights;
}

/** Implements the operations on triggers. */
export function triggerOperations({ store, service, rights }: TriggerOperationServices): readonly Endpoint[] {
  async function find({ params: { id }, caller }: ApiRequest<typeof api.triggers.get>): Promise<Trigger> {
    const trigger = await store.get(id);
    if (trigger !== undefined && maySee(caller, trigger.principal)) return trigger;
    throw problem('E_TRIGGER_UNKNOWN', `There is no trigger "${id}"`);
  }

  return [
    implement(api.triggers.create, async ({ body, caller: { principal }, keyed }) => {
      const { spec, task: input, agent, sessionId, misfire } = body;
      const trigger = await service.add({
        // Every request with the same key has the same id.
        id: triggerIdOf(principal, keyed?.runId ?? crypto.randomUUID()),
        principal,
        spec: readTimes(spec),
        input,
        agent,
        sessionId,
        ...(misfire === undefined ? {} : { misfire }),
        permissions: rights.ofPrincipal(principal),
      });
      return new Reply(201, trigger, { location: `/v1/triggers/${trigger.id}` });
    }),
    implement(api.triggers.list, async ({ query, caller }) => {
      const { status, kind } = query;
      const filter = {
        ...(caller.roles.includes('admin') ? {} : { principal: caller.principal }),
        ...(status === undefined ? {} : { status }),
        ...(kind === undefined ? {} : { kind }),
      };
      const { items, next } = await store.list(filter, pageOf(query));
      return listOf(items, next);
    }),
    implement(api.triggers.get, async (request) => {
      const trigger = await find(request);
      return { ...trigger, firings: (await store.firings(trigger.id)).items };
    }),
    implement(api.triggers.cancel, async (request) => new Reply(202, await service.cancel(await find(request)))),
  ];
}
