import { channelLimits, defineTool } from '@ravi/kernel';
import type { JsonValue, Tool } from '@ravi/kernel';
import { authorOf, channelSchema, digestOf } from './message-parts.ts';
import type { MessageParts } from './message-parts.ts';

const { messageBytes, keptMessages } = channelLimits;

/** Creates the tool that adds a message to a stored channel. */
export function createSendMessage({ channels, hasUnapproved, isUnapproved }: MessageParts): Tool {
  return defineTool({
    name: 'send_message',
    description:
      'Sends a message into a channel, which other agents of this user read. The first message creates the channel. Returns the number of the message.',
    // classifyRisk can only raise it.
    promptHint: 'To tell other agents or later runs of something, use send_message.',
    risk: hasUnapproved ? 'safe' : 'high',
    idempotent: true,
    runAfterResponse: true,
    inputSchema: {
      type: 'object',
      properties: {
        channel: channelSchema,
        message: { description: `Text, or any JSON value of at most ${messageBytes} bytes.` },
      },
      required: ['channel', 'message'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: { channel: { type: 'string' }, number: { type: 'integer' } },
      required: ['channel', 'number'],
    },
    documentation: () =>
      [
        'Messages are stored: agents read them later, in other runs and after a restart of the server.',
        `A channel belongs to the user for whom you work; names that the operator shares are one channel for all users. By default it keeps its last ${keptMessages} messages.`,
        'A call that is made again after a crash does not send twice.',
      ].join('\n'),
    classifyRisk: ({ channel }) => ({
      risk: isUnapproved(channel) ? 'safe' : 'high',
      summary: `Send a message into the channel ${channel}`,
    }),
    async execute(args, context) {
      const { channel, message } = args as { readonly channel: string; readonly message: JsonValue };
      const { principal, idempotencyKey, clock, signal } = context;
      signal.throwIfAborted();
      const { number } = await channels().append(
        { channel, principal },
        { id: digestOf(idempotencyKey), from: authorOf(context), principal, message, sentAt: clock.now() },
      );
      return { channel, number };
    },
  });
}
