import { createHash } from 'node:crypto';
import { defineTool, KernelError } from '@ravi/kernel';
import type { InvocationResult, JsonObject, Tool, ToolContext } from '@ravi/kernel';
import { resultOfCall } from '../spawn.ts';
import { callingAgent, forPrivilegedAgents } from './group-parts.ts';
import type { GroupParts } from './group-parts.ts';
import { changeGroup, entryOf, groupNamePattern, inboxOf } from './group-state.ts';
import type { Group } from './group-state.ts';

const maxTextBytes = 32 * 1024;

/** Creates the tool that starts a delegate as a member of the group of a run. */
export function createGroupAddNode({ channels, source }: GroupParts): Tool {
  async function deliver(member: string, result: InvocationResult, context: ToolContext): Promise<void> {
    const { principal, scratchpad, clock, idempotencyKey } = context;
    const { wires } = changeGroup(scratchpad, (group) => {
      const known = entryOf(group.members, member);
      const members =
        known === undefined ? group.members : { ...group.members, [member]: { ...known, hasEnded: true } };
      return { ...group, members };
    });
    for (const { to } of wires.filter(({ from }) => from === member)) {
      const id = digestOf(`${idempotencyKey} ${to}`);
      const message = { member, status: result.status, ...textOf(result) };
      await channels().append(
        { channel: to, principal },
        { id, from: member, principal, message, sentAt: clock.now() },
      );
    }
  }

  const tool = defineTool({
    name: 'group_add_node',
    description:
      'Starts one of your delegates as a named member of your group and returns the id of its job at once. Several members may be the same delegate. It has its own tools and works within your budget.',
    // The calls of the member pass every gate, as those of any delegate.
    risk: 'safe',
    runAfterResponse: true,
    managesOwnTimeout: true,
    mode: 'background',
    inputSchema: {
      type: 'object',
      properties: {
        name: { type: 'string', pattern: groupNamePattern, description: 'Name of the member in the group.' },
        agent: { type: 'string', minLength: 1, maxLength: 64, description: 'Name of one of your delegates.' },
        task: { type: 'string', minLength: 1, description: 'The whole task; the member sees nothing else.' },
      },
      required: ['name', 'agent', 'task'],
      additionalProperties: false,
    },
    documentation: () =>
      [
        'The operator decides which agents there are: a member is one of your delegates, with the tools and limits that the configuration gives it.',
        'The member gets the names of the channels of the group with its task. It talks to the others if it may call tools for messages.',
        'Its result can be wired until it ends.',
      ].join('\n'),
    async execute({ name, agent, task }, context) {
      callingAgent(context, 'group_add_node');
      const call = digestOf(context.idempotencyKey);
      const { channels: open } = changeGroup(context.scratchpad, (group) => {
        const known = entryOf(group.members, name);
        if (known !== undefined && known.call !== call) {
          throw new KernelError('E_STATE_CONFLICT', `The group has a member ${name} already: choose another name`);
        }
        return { ...group, members: { ...group.members, [name]: { agent, call, hasEnded: false } } };
      });
      const result = await context.run.tool(agent, { task: taskOf(name, task, inboxOf(context, name), open) });
      await deliver(name, result, context);
      return resultOfCall(result);
    },
  });
  return forPrivilegedAgents(tool, source);
}

function taskOf(member: string, task: string, inbox: string, channels: Group['channels']): string {
  const lines = Object.entries(channels).map(([name, channel]) => `- ${name}: ${channel}`);
  const known = lines.length === 0 ? '' : `\nChannels of the group:\n${lines.join('\n')}`;
  return `You are the member ${member} of a group. Messages for you are in the channel ${inbox}.${known}\n\n${task}`;
}

function textOf({ text, artifactRef }: InvocationResult): JsonObject {
  const isCut = Buffer.byteLength(text) > maxTextBytes;
  return {
    // A UTF-16 unit takes at most three bytes.
    text: isCut ? text.slice(0, maxTextBytes / 3).toWellFormed() : text,
    isCut,
    ...(artifactRef === undefined ? {} : { artifactRef }),
  };
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
