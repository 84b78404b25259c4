import type { TriggerStore } from '@ravi/kernel';
import type { Parts } from '../tokens.ts';
import { createTriggerChannels } from './channel-messages.ts';
import type { TriggerChannels } from './channel-messages.ts';
import { createTriggerPermissions } from './trigger-permissions.ts';
import type { TriggerRights } from './trigger-permissions.ts';
import { createTriggerService } from './trigger-service.ts';
import type { TriggerService } from './trigger-service.ts';

/** Triggers of a process with a state store. */
export interface TriggerServices {
  readonly store: TriggerStore;
  readonly service: TriggerService;
  readonly rights: TriggerRights;
  readonly channels: TriggerChannels;
}

/** Creates the services of triggers; `undefined` without a state store. */
export function createTriggerServices(parts: Parts): TriggerServices | undefined {
  const { durable, toolbox, toolAccess, invoker, config, clock } = parts;
  if (durable === undefined) return undefined;
  const { agents, store } = durable;
  const rights = createTriggerPermissions({ toolbox, toolAccess, policy: () => invoker.policy });
  const channels = createTriggerChannels(store.channels);
  const limits = () => config.triggers;
  const service = createTriggerService({ store: store.triggers, agents, rights, channels, limits, clock });
  return { store: store.triggers, service, rights, channels };
}
