import { defineTool } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';
import type { MessageParts } from './message-parts.ts';

/** Creates the tool that lists the stored channels that a call can read. */
export function createListChannels({ channels }: MessageParts): Tool {
  return defineTool({
    name: 'list_channels',
    description: 'Lists the channels of this user and the shared ones, with the number of messages that each keeps.',
    risk: 'safe',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    outputSchema: {
      type: 'object',
      properties: {
        channels: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              channel: { type: 'string' },
              isShared: { type: 'boolean', description: 'True if all users of the server read and write it.' },
              messages: { type: 'integer' },
              lastNumber: { type: 'integer', description: 'Number of the newest message.' },
              lastAt: { type: 'string', description: 'Time of the newest message in UTC.' },
            },
            required: ['channel', 'isShared', 'messages', 'lastNumber', 'lastAt'],
          },
        },
      },
      required: ['channels'],
    },
    documentation: () => 'A channel exists from its first message on.',
    async execute(_args, { principal, signal }) {
      signal.throwIfAborted();
      const listed = await channels().list({ principal });
      const shown = listed.map(({ channel, isShared, messages, lastNumber, lastAt }) => ({
        channel,
        isShared,
        messages,
        lastNumber,
        lastAt: new Date(lastAt).toISOString(),
      }));
      return { channels: shown };
    },
  });
}
