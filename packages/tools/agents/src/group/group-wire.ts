import { defineTool, KernelError } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';
import { callingAgent, forPrivilegedAgents } from './group-parts.ts';
import type { GroupParts } from './group-parts.ts';
import { changeGroup, channelOf, entryOf, groupNamePattern, inboxOf } from './group-state.ts';

/** Creates the tool that routes the result of a member to a channel or to another member. */
export function createGroupWire({ channels, source }: GroupParts): Tool {
  const tool = defineTool({
    name: 'group_wire',
    description:
      'Routes the result of a member of your group: when it ends, its result is sent into a channel of the group, or to another member. Returns the full name of the channel that will receive it.',
    risk: 'high',
    idempotent: true,
    runAfterResponse: true,
    inputSchema: {
      type: 'object',
      properties: {
        from: { type: 'string', pattern: groupNamePattern, description: 'Name of a member, which may start later.' },
        toChannel: { type: 'string', pattern: groupNamePattern, description: 'Short name of a channel.' },
        toMember: { type: 'string', pattern: groupNamePattern, description: 'Name of another member.' },
      },
      required: ['from'],
      additionalProperties: false,
    },
    outputSchema: { type: 'object', properties: { channel: { type: 'string' } }, required: ['channel'] },
    documentation: () =>
      [
        'Give either toChannel or toMember. A member finds what is sent to it in the channel of its own name.',
        'The member must not have ended. Its messages are not routed: it sends them into the channels that it knows.',
      ].join('\n'),
    classifyRisk: ({ from, toChannel, toMember }) => ({
      risk: 'high',
      summary: `Send the result of the member ${from} to ${toChannel ?? toMember ?? 'nothing'} of a group of agents`,
    }),
    execute({ from, toChannel, toMember }, context) {
      callingAgent(context, 'group_wire');
      // Before the member works for nothing.
      channels();
      let channel = '';
      changeGroup(context.scratchpad, (group) => {
        if ((toChannel === undefined) === (toMember === undefined)) throw invalid('Give either toChannel or toMember');
        if (toMember === from) throw invalid(`A result of ${from} cannot be sent to ${from} itself`);
        if (toChannel !== undefined && entryOf(group.channels, toChannel) === undefined) {
          throw invalid(`The group has no channel ${toChannel}: open it with group_channel first`);
        }
        if (entryOf(group.members, from)?.hasEnded === true) {
          throw new KernelError('E_STATE_CONFLICT', `The member ${from} has ended: its result is that of its job`);
        }
        channel = toChannel === undefined ? inboxOf(context, toMember ?? '') : channelOf(context, toChannel);
        const isKnown = group.wires.some((wire) => wire.from === from && wire.to === channel);
        return isKnown ? group : { ...group, wires: [...group.wires, { from, to: channel }] };
      });
      return { channel };
    },
  });
  return forPrivilegedAgents(tool, source);
}

function invalid(message: string): KernelError {
  return new KernelError('E_ARGUMENTS_INVALID', message);
}
