import type { ChannelsConfig } from '@ravi/host';
import type { ChannelPlace, ChannelStore, StateStore } from '@ravi/kernel';
import { matchesPattern } from '@ravi/support';

/** Settings that decide where a channel is and how many messages it keeps. */
export type ChannelSettings = Pick<ChannelsConfig, 'shared' | 'keepMessages'>;

/** Returns the store with channels of which the configuration decides which are shared, for all users of the store. */
export function withConfiguredChannels(store: StateStore, settings: ChannelSettings): StateStore {
  return store.channels === undefined ? store : { ...store, channels: configuredChannels(store.channels, settings) };
}

/**
 * Returns channels that find each name where the configuration puts it: among the shared ones, or among those of the principal. Callers
 * give a place without `isShared`, and their lists have both.
 */
export function configuredChannels(store: ChannelStore, { shared, keepMessages: keep }: ChannelSettings): ChannelStore {
  const isShared = (channel: string): boolean => shared.some((pattern) => matchesPattern(pattern, channel));
  const placed = (place: ChannelPlace): ChannelPlace => ({ ...place, isShared: isShared(place.channel) });
  return {
    append: (place, message, options) => store.append(placed(place), message, { keep, ...options }),
    read: (place, options) => store.read(placed(place), options),
    take: (place, reading) => store.take(placed(place), reading),
    delete: (place) => store.delete(placed(place)),
    removeBefore: (before) => store.removeBefore(before),
    async list({ principal }) {
      const all = await Promise.all([false, true].map((each) => store.list({ principal, isShared: each })));
      // A channel that was private before the configuration shared its name cannot be reached.
      return all
        .flat()
        .filter((entry) => entry.isShared === isShared(entry.channel))
        .toSorted((left, right) => (left.channel < right.channel ? -1 : 1));
    },
  };
}
