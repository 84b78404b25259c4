import type { JsonValue } from '../base/json.ts';
import type { Listing } from '../base/page.ts';
import type { Principal } from '../base/run-context.ts';

/** Pattern of the names of channels. Case counts. */
export const channelNamePattern: RegExp = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$/;

/** Limits of channels. */
export interface ChannelLimits {
  /** UTF-8 bytes of the JSON of one message. */
  readonly messageBytes: number;
  /** Channels of one principal, and shared ones of an installation. */
  readonly perOwner: number;
  /** Messages that a channel keeps when the caller does not say. */
  readonly keptMessages: number;
  /** Messages of one reading. */
  readonly reading: number;
  /** Readings that a repeated call finds again, of one reader in one channel. */
  readonly keptReadings: number;
}

/** Limits that every {@link ChannelStore} has. */
export const channelLimits: ChannelLimits = Object.freeze({
  messageBytes: 64 * 1024,
  perOwner: 1_000,
  keptMessages: 1_000,
  reading: 1_000,
  keptReadings: 100,
});

/** Place of a channel: a name among the channels of a principal, or among the shared ones. */
export interface ChannelPlace {
  /** Matches {@link channelNamePattern}. */
  readonly channel: string;
  /** Person or service that reads or writes; the owner, unless the channel is shared. */
  readonly principal: Principal;
  /** True for a channel of the installation, which all principals have. Default: false. */
  readonly isShared?: boolean;
}

/** Message to send. */
export interface NewChannelMessage {
  /** Chosen by the sender and unique in the channel, so that a repeated call does not send twice. */
  readonly id: string;
  /** Author, for example the name of an agent. */
  readonly from: string;
  /** Author's principal, which readers of a shared channel see. */
  readonly principal: Principal;
  readonly message: JsonValue;
  /** Milliseconds since the Unix epoch. */
  readonly sentAt: number;
}

/** Message as stored. */
export interface ChannelMessage extends NewChannelMessage {
  /** Grows with each message of a channel, with gaps, and is never used again. */
  readonly number: number;
}

/** Channel in a list. */
export interface ChannelEntry {
  readonly channel: string;
  readonly isShared: boolean;
  readonly createdAt: number;
  /** Number of messages that it keeps. */
  readonly messages: number;
  /** Number of the newest message it has had. */
  readonly lastNumber: number;
  /** Time of the newest message, milliseconds since the Unix epoch. */
  readonly lastAt: number;
}

/** Part of a channel to read. */
export interface ChannelReadOptions {
  /** Only messages with a greater number. Default: 0. */
  readonly after?: number;
  /** Maximum number of messages. Default 100, at most 1 000. */
  readonly limit?: number;
  /** True for the newest messages of those, instead of the oldest. The order stays oldest first. Default: false. */
  readonly newest?: boolean;
}

/** Reading that moves the position of its reader. */
export interface ChannelReading {
  /** Reader whose position counts, for example an agent. 1 to 200 characters without control characters. */
  readonly reader: string;
  /** The same for a repeated call, which gets the messages of the first one again. 1 to 200 characters. */
  readonly key: string;
  /** Maximum number of messages. Default 100, at most 1 000. */
  readonly limit?: number;
}

/**
 * Named, stored queues of messages, each of one principal or shared. A channel exists from its first message on. It keeps its newest
 * messages; older ones are removed as new ones come. Limits: {@link channelLimits}.
 *
 * Every method rejects with `E_STATE_INVALID` for a name that does not match {@link channelNamePattern}, except that reading finds nothing.
 */
export interface ChannelStore {
  /**
   * Adds a message as the last one of its channel. An id that the channel still has changes nothing and returns the stored message.
   * Readers see messages in the order of their numbers: none appears later before one that was read.
   * `keep` is the number of messages that the channel keeps, this one included; 1 000 by default, at most 100 000.
   * @throws KernelError `E_STATE_INVALID` for a message that is not JSON or too large, `E_BUDGET_EXHAUSTED` for a new channel of an owner
   * that has as many as it may
   */
  append(
    place: ChannelPlace,
    message: NewChannelMessage,
    options?: { readonly keep?: number },
  ): Promise<ChannelMessage>;
  /** Returns messages, oldest first, and moves no position. A channel that does not exist has none. */
  read(place: ChannelPlace, options?: ChannelReadOptions): Promise<Listing<ChannelMessage>>;
  /**
   * Returns the messages after the position of the reader, oldest first, and moves the position to the last one, in one step: no other
   * reading of this reader returns them. The first reading begins with the oldest message. A reading with a key that was used returns the
   * same messages again, without those removed meanwhile, as long as it is among the last 100 of its reader.
   */
  take(place: ChannelPlace, reading: ChannelReading): Promise<Listing<ChannelMessage>>;
  /** Returns the channels of the principal, or with `isShared` those of the installation, by name. */
  list(owner: Omit<ChannelPlace, 'channel'>): Promise<readonly ChannelEntry[]>;
  /** Removes a channel with its messages and the positions of its readers; `false` if there is none. */
  delete(place: ChannelPlace): Promise<boolean>;
  /** Removes the messages of all channels that were sent before `before`, and channels without a later one. Returns their number. */
  removeBefore(before: number): Promise<number>;
}
