import type { ArgumentSpec, CommandSpec, OptionSpec } from './command.ts';

const channel: ArgumentSpec = { name: 'channel', description: 'name of the channel' };

/** Returns the commands of `ravi channels` and `ravi memories`, in the order of its help. `pageOptions` choose a page of a list. */
export function messageCommands(pageOptions: readonly OptionSpec[]): readonly CommandSpec[] {
  return [
    {
      path: 'channels ls',
      summary: 'list your channels and the shared ones',
      reach: 'api',
      load: async () => (await import('./commands/channels.ts')).listChannels,
    },
    {
      path: 'channels read',
      summary: 'print the newest messages of a channel',
      reach: 'api',
      arguments: [channel],
      options: [
        { flags: '--after <number>', description: 'the messages after this number instead, oldest first' },
        { flags: '--limit <number>', description: 'messages to print at most (default: 50)' },
      ],
      load: async () => (await import('./commands/channels.ts')).readChannel,
    },
    {
      path: 'channels send',
      summary: 'send a message into a channel, which it creates if it is new',
      reach: 'api',
      arguments: [channel, { name: 'message', description: 'the text' }],
      options: [
        { flags: '--as-json', description: 'the message is a JSON value instead of a text' },
        { flags: '--id <id>', description: 'id of the message, so that a repeated command does not send twice' },
      ],
      load: async () => (await import('./commands/channels.ts')).sendToChannel,
    },
    {
      path: 'channels delete',
      summary: 'delete a channel with its messages',
      reach: 'api',
      arguments: [channel],
      load: async () => (await import('./commands/channels.ts')).deleteChannel,
    },
    {
      path: 'memories ls',
      summary: 'list what agents remember about you',
      reach: 'api',
      options: [{ flags: '--query <words>', description: 'only the best matches of these words' }, ...pageOptions],
      load: async () => (await import('./commands/memories.ts')).listMemories,
    },
    {
      path: 'memories delete',
      summary: 'delete what agents remember about you, for good',
      reach: 'api',
      arguments: [{ name: 'memory', description: 'id of the memory', isOptional: true }],
      options: [{ flags: '--all', description: 'all of it' }],
      load: async () => (await import('./commands/memories.ts')).deleteMemories,
    },
  ];
}
