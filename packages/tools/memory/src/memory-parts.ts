import { KernelError } from '@ravi/kernel';
import type { JsonSchema, Memory, MemoryStore, PluginContext } from '@ravi/kernel';

/** Options of the plugin. */
export interface MemoryOptions {
  /** True if `remember` needs no approval. Default: false. */
  readonly trustAgents?: boolean;
}

/** Parts that the tools share. */
export interface MemoryParts {
  /** Returns the memories of the state store. @throws KernelError `E_UNSUPPORTED` without one */
  memories(): MemoryStore;
  readonly trustAgents: boolean;
}

/** Memory as a script reads it. */
export interface ShownMemory {
  readonly id: string;
  readonly text: string;
  readonly tags: readonly string[];
  readonly agent: string | null;
  /** ISO 8601, in UTC. */
  readonly rememberedAt: string;
}

/** JSON Schema of {@link ShownMemory}. */
export const shownMemorySchema: JsonSchema = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    text: { type: 'string' },
    tags: { type: 'array', items: { type: 'string' } },
    agent: { type: ['string', 'null'], description: 'Agent that remembered it.' },
    rememberedAt: { type: 'string', description: 'Time in UTC.' },
  },
  required: ['id', 'text', 'tags', 'agent', 'rememberedAt'],
};

/** Opens the parts. A process without a state store has the tools, and they say what to configure. */
export function openMemoryParts({ trustAgents = false }: MemoryOptions, { stateStore }: PluginContext): MemoryParts {
  return {
    trustAgents,
    memories() {
      if (stateStore?.memories !== undefined) return stateStore.memories;
      throw new KernelError(
        'E_UNSUPPORTED',
        stateStore === undefined
          ? 'Nothing can be remembered, because this server has no state store: configure plugins.stateStore'
          : 'Nothing can be remembered, because the state store keeps no memories: configure another plugins.stateStore',
      );
    },
  };
}

/** Returns a memory as a script reads it. */
export function shownMemory({ id, text, tags = [], agent, createdAt }: Memory): ShownMemory {
  return { id, text, tags, agent: agent ?? null, rememberedAt: new Date(createdAt).toISOString() };
}
