import { channelNamePattern } from '@ravi/kernel';
import type { ChannelStore, Principal } from '@ravi/kernel';
import { invalidTrigger } from './trigger-problem.ts';

/** Message in a channel, as a trigger delivers it. */
export interface WatchedMessage {
  /** Place in the channel; later messages have higher numbers. */
  readonly number: number;
  /** The message, or its JSON if it is not a text. */
  readonly text: string;
  /** Author, for example the name of an agent. */
  readonly from: string;
  /** Principal of the author. */
  readonly principal: Principal;
}

/** Channels that triggers watch. */
export interface TriggerChannels {
  /**
   * Returns the number of the last message of a channel; 0 if it has none.
   * @throws KernelError `E_ARGUMENTS_INVALID` for a name that no channel can have
   */
  last(principal: Principal, channel: string): Promise<number>;
  /** Returns the first messages after a number, in their order. */
  read(
    principal: Principal,
    channel: string,
    options: { readonly after: number; readonly limit: number },
  ): Promise<readonly WatchedMessage[]>;
}

/** Creates the channels that triggers watch over the stored channels: those of the principal, and shared ones. */
export function createTriggerChannels(store: Pick<ChannelStore, 'read'>): TriggerChannels {
  return {
    async last(principal, channel) {
      if (!channelNamePattern.test(channel)) {
        const shown = JSON.stringify(channel.slice(0, 100));
        throw invalidTrigger(
          `No channel can have the name ${shown}: it has 1 to 100 letters, digits and "._:-", and begins with a letter or digit`,
        );
      }
      const { items } = await store.read({ channel, principal }, { newest: true, limit: 1 });
      return items[0]?.number ?? 0;
    },
    async read(principal, channel, options) {
      const { items } = await store.read({ channel, principal }, options);
      return items.map(({ number, message, from, principal: author }) => ({
        number,
        text: typeof message === 'string' ? message : JSON.stringify(message),
        from,
        principal: author,
      }));
    },
  };
}
