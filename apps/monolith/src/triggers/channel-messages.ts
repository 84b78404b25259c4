import type { Principal } from '@ravi/kernel';

/** Message in a channel. */
export interface ChannelMessage {
  /** Place in the channel; later messages have higher numbers. */
  readonly number: number;
  readonly text: string;
  /** Name of the sender, if it is known. */
  readonly from?: string;
}

/** Channels that triggers watch. */
export interface TriggerChannels {
  /** Returns the number of the last message of a channel; 0 if it has none. */
  last(principal: Principal, channel: string): Promise<number>;
  /** Returns the first messages after a number, in their order. */
  read(
    principal: Principal,
    channel: string,
    options: { readonly after: number; readonly limit: number },
  ): Promise<readonly ChannelMessage[]>;
}
