import { channelNamePattern, defineTool } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';
import { quoted } from '@ravi/tools-kit';
import { addTrigger, riskOfTrigger } from './add-trigger.ts';
import { runDocumentation, sharedArguments, triggerSchema, triggersOf } from './trigger-parts.ts';
import type { TriggerToolParts } from './trigger-parts.ts';

/** Creates the tool that starts a run for messages in a channel. */
export function watchChannelTool(parts: TriggerToolParts): Tool {
  return defineTool({
    name: 'watch_channel',
    description:
      'Wakes you up for messages: starts a run of you with a task when others send messages to a channel from now on. Returns the trigger with its id.',
    promptHint: 'To react to messages, watch_channel starts a run of you; do not wait in a loop.',
    risk: 'high',
    inputSchema: {
      type: 'object',
      properties: {
        ...sharedArguments,
        channel: {
          type: 'string',
          minLength: 1,
          maxLength: 100,
          pattern: channelNamePattern.source,
          description: 'Name of the channel.',
        },
      },
      required: ['task', 'channel'],
      additionalProperties: false,
    },
    outputSchema: triggerSchema,
    idempotent: true,
    documentation: () => documentation,
    classifyRisk: (args) => riskOfTrigger(`for each message in the channel ${quoted(args.channel)}`, args),
    checkCall: ({ channel }) => triggersOf(parts).check({ kind: 'channel', channel }),
    execute: ({ channel, task, continuesConversation = false }, context) =>
      addTrigger(parts, { spec: { kind: 'channel', channel } }, { task, continuesConversation }, context),
  });
}

const documentation = `# watch_channel

Starts runs of the calling agent for messages in a channel that are sent from now on.

- Each message is delivered to one run. Messages that wait are delivered together, up to 50 in a run.
- The server leaves a minimum time between two runs of one trigger; messages that come meanwhile wait.
- Messages that this agent sends itself start no run.
- The run reads the messages as data at the end of its task.
${runDocumentation}
`;
