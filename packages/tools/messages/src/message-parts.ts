import { createHash } from 'node:crypto';
import { channelNamePattern, KernelError } from '@ravi/kernel';
import type { ChannelMessage, ChannelStore, JsonSchema, PluginContext, ToolContext } from '@ravi/kernel';
import { matchesPattern } from '@ravi/support';

/** Options of the plugin. */
export interface MessageOptions {
  /** Patterns of the channels into which agents send without approval. Default: none. */
  readonly unapproved?: readonly string[];
}

/** Parts that the tools share. */
export interface MessageParts {
  /** Returns the channels of the state store. @throws KernelError `E_UNSUPPORTED` without one */
  channels(): ChannelStore;
  /** True if a call may be `safe`. */
  readonly hasUnapproved: boolean;
  isUnapproved(channel: string): boolean;
}

/** Message as a script reads it. */
export interface ShownMessage extends Pick<ChannelMessage, 'number' | 'from' | 'principal' | 'message'> {
  /** ISO 8601, in UTC. */
  readonly sentAt: string;
}

/** JSON Schema of {@link ShownMessage}. */
export const shownMessageSchema: JsonSchema = {
  type: 'object',
  properties: {
    number: { type: 'integer', description: 'Grows with each message of a channel, with gaps.' },
    from: { type: 'string', description: 'Agent that sent it, or "caller" for a person or program.' },
    principal: { type: 'string', description: 'User for whom it was sent.' },
    sentAt: { type: 'string', description: 'Time in UTC.' },
    message: {},
  },
  required: ['number', 'from', 'principal', 'sentAt', 'message'],
};

/** JSON Schema of the name of a channel. */
export const channelSchema: { readonly type: 'string'; readonly pattern: string; readonly description: string } = {
  type: 'string',
  pattern: channelNamePattern.source,
  description: 'Name of a channel: 1 to 100 letters, digits and "._:-".',
};

/** Opens the parts. A process without a state store has the tools, and they say what to configure. */
export function openMessageParts({ unapproved = [] }: MessageOptions, { stateStore }: PluginContext): MessageParts {
  return {
    hasUnapproved: unapproved.length > 0,
    isUnapproved: (channel) => unapproved.some((pattern) => matchesPattern(pattern, channel)),
    channels() {
      if (stateStore?.channels !== undefined) return stateStore.channels;
      throw new KernelError(
        'E_UNSUPPORTED',
        stateStore === undefined
          ? 'There are no channels, because this server has no state store: configure plugins.stateStore'
          : 'There are no channels, because the state store keeps none: configure another plugins.stateStore',
      );
    },
  };
}

/** Returns the name under which a call sends. */
export function authorOf({ agent }: Pick<ToolContext, 'agent'>): string {
  return agent ?? 'caller';
}

/** Returns the reader whose position a call moves: one for each agent of each principal, and one for calls without an agent. */
export function readerOf({ agent, principal }: Pick<ToolContext, 'agent' | 'principal'>): string {
  return digestOf(JSON.stringify([principal, agent ?? null]));
}

/** Returns an id for a call: the same for each attempt of one call. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Returns a message as a script reads it. */
export function shownMessage({ number, from, principal, message, sentAt }: ChannelMessage): ShownMessage {
  return { number, from, principal, sentAt: new Date(sentAt).toISOString(), message };
}
