import type { Plugin } from '@ravi/kernel';
import { defineToolsPlugin } from '@ravi/tools-kit';
import type { ToolSelection } from '@ravi/tools-kit';
import { createListChannels } from './list-channels.ts';
import { openMessageParts } from './message-parts.ts';
import type { MessageOptions } from './message-parts.ts';
import { createReadMessages } from './read-messages.ts';
import { createSendMessage } from './send-message.ts';

export type { MessageOptions } from './message-parts.ts';

const plugin: Plugin<'toolSource', MessageOptions & ToolSelection> = defineToolsPlugin({
  name: 'tools-messages',
  options: {
    unapproved: {
      type: 'array',
      items: { type: 'string', pattern: '^[A-Za-z0-9*][A-Za-z0-9._:*-]{0,99}$' },
      uniqueItems: true,
      description: 'Patterns of the channels into which agents send without approval, for example "team-*".',
    },
  },
  tools: {
    send_message: createSendMessage,
    read_messages: createReadMessages,
    list_channels: createListChannels,
  },
  open: openMessageParts,
});
export default plugin;
