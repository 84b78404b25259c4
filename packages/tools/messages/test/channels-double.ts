import { silentLogger, systemClock } from '@ravi/kernel';
import type { ChannelMessage, ChannelPlace, ChannelStore, PluginContext, StateStore, Tool } from '@ravi/kernel';
import plugin from '../src/index.ts';
import type { MessageOptions } from '../src/index.ts';

const keyOf = ({ channel, principal }: ChannelPlace): string => JSON.stringify([principal, channel]);

/** Channels in maps: the tools are tested with the real stores through a server. */
export function createChannels(): ChannelStore {
  const channels = new Map<string, ChannelMessage[]>();
  const positions = new Map<string, number>();
  const readings = new Map<string, readonly ChannelMessage[]>();
  let last = 0;
  const of = (place: ChannelPlace): ChannelMessage[] => channels.get(keyOf(place)) ?? [];
  return {
    async append(place, message) {
      const known = of(place).find(({ id }) => id === message.id);
      if (known !== undefined) return known;
      const stored = { ...message, number: (last += 1) };
      channels.set(keyOf(place), [...of(place), stored]);
      return stored;
    },
    read: async (place, { after = 0, limit = 100 } = {}) => ({
      items: of(place)
        .filter(({ number }) => number > after)
        .slice(0, limit),
      corrupt: [],
    }),
    async take(place, { reader, key, limit = 100 }) {
      const position = JSON.stringify([keyOf(place), reader]);
      const reading = `${position} ${key}`;
      const after = positions.get(position) ?? 0;
      const items =
        readings.get(reading) ??
        of(place)
          .filter(({ number }) => number > after)
          .slice(0, limit);
      if (items.length > 0) readings.set(reading, items);
      positions.set(position, Math.max(after, items.at(-1)?.number ?? 0));
      return { items, corrupt: [] };
    },
    list: async ({ principal }) =>
      [...channels].flatMap(([key, messages]) => {
        const [owner, channel] = JSON.parse(key) as [string, string];
        const entry = { isShared: false, createdAt: 0, messages: messages.length, lastNumber: last, lastAt: 0 };
        return owner === principal ? [{ channel, ...entry }] : [];
      }),
    delete: async (place) => channels.delete(keyOf(place)),
    removeBefore: async () => 0,
  };
}

/** Opens the tools of the plugin by name. */
export async function openTools(
  stateStore: Partial<StateStore> | undefined,
  options: MessageOptions = {},
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
