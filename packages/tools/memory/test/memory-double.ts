import { KernelError, silentLogger, systemClock } from '@ravi/kernel';
import type { Memory, MemoryStore, PluginContext, StateStore, Tool } from '@ravi/kernel';
import plugin from '../src/index.ts';
import type { MemoryOptions } from '../src/index.ts';

/** Memories in an array: the tools are tested with the real stores through a server. */
export function createMemories(): MemoryStore & { readonly all: readonly Memory[] } {
  const all: Memory[] = [];
  const of = (principal: string): Memory[] => all.filter((memory) => memory.principal === principal);
  return {
    all,
    async add(memory) {
      const known = of(memory.principal).find(({ id }) => id === memory.id);
      if (known !== undefined) return known;
      if (Buffer.byteLength(memory.text) > 16_384) throw new KernelError('E_STATE_INVALID', 'too large');
      const stored = { ...memory, number: all.length + 1 };
      all.push(stored);
      return stored;
    },
    get: async (principal, id) => of(principal).find((memory) => memory.id === id),
    search: async (principal, query) => of(principal).filter(({ text }) => text.includes(query)),
    list: async (principal, { limit = 100 } = {}) => ({
      items: of(principal).toReversed().slice(0, limit),
      corrupt: [],
    }),
    count: async (principal) => of(principal).length,
    async delete(principal, id) {
      const at = all.findIndex((memory) => memory.principal === principal && memory.id === id);
      if (at >= 0) all.splice(at, 1);
      return at >= 0;
    },
    clear: async () => 0,
  };
}

/** Opens the tools of the plugin by name. */
export async function openTools(
  stateStore: Partial<StateStore> | undefined,
  options: MemoryOptions = {},
): Promise<Readonly<Record<string, Tool>>> {
  const context = {
    baseDir: '/',
    clock: systemClock,
    logger: silentLogger,
    ...(stateStore === undefined ? {} : { stateStore: stateStore as StateStore }),
  } satisfies PluginContext;
  const source = await plugin.create(options, context);
  const open = await source.open({ signal: new AbortController().signal, onChange: () => {} });
  return Object.fromEntries(open.content().tools.map((tool) => [tool.name, tool as Tool]));
}
