import { createHash } from 'node:crypto';
import { defineTool } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';
import { callingAgent, forPrivilegedAgents } from './group-parts.ts';
import type { GroupParts } from './group-parts.ts';
import { changeGroup, channelOf, groupNamePattern } from './group-state.ts';

/** Creates the tool that opens a channel for the members of a group. */
export function createGroupChannel({ channels, source }: GroupParts): Tool {
  const tool = defineTool({
    name: 'group_channel',
    description:
      'Opens a channel for the members of your group and returns its full name. Members that start later receive the name with their task.',
    risk: 'high',
    idempotent: true,
    runAfterResponse: true,
    inputSchema: {
      type: 'object',
      properties: {
        name: { type: 'string', pattern: groupNamePattern, description: 'Short name in the group.' },
        purpose: { type: 'string', minLength: 1, maxLength: 2_000, description: 'First message of the channel.' },
      },
      required: ['name', 'purpose'],
      additionalProperties: false,
    },
    outputSchema: { type: 'object', properties: { channel: { type: 'string' } }, required: ['channel'] },
    documentation: () =>
      'The channel is stored with the channels of the user: it outlives the run. Opening it again under the same name changes nothing.',
    classifyRisk: ({ name, purpose }) => ({
      risk: 'high',
      summary: `Open the channel ${name} for a group of agents: ${purpose.slice(0, 120).toWellFormed()}`,
    }),
    async execute({ name, purpose }, context) {
      const from = callingAgent(context, 'group_channel');
      const { principal, clock } = context;
      const channel = channelOf(context, name);
      changeGroup(context.scratchpad, (group) => ({ ...group, channels: { ...group.channels, [name]: channel } }));
      const id = createHash('sha256').update(channel).digest('hex');
      await channels().append(
        { channel, principal },
        { id, from, principal, message: { purpose }, sentAt: clock.now() },
      );
      return { channel };
    },
  });
  return forPrivilegedAgents(tool, source);
}
