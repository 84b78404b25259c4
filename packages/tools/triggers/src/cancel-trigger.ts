import { defineTool, textBlock } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';
import { shortText, triggersOf, triggerSchema, viewOf } from './trigger-parts.ts';
import type { TriggerToolParts } from './trigger-parts.ts';

/** Creates the tool that cancels a trigger of the caller. */
export function cancelTriggerTool(parts: TriggerToolParts): Tool {
  return defineTool({
    name: 'cancel_trigger',
    description: 'Cancels a timer, a schedule or a watched channel. Runs that it has started continue.',
    risk: 'high',
    inputSchema: {
      type: 'object',
      properties: {
        id: { type: 'string', minLength: 1, maxLength: 200, description: 'Id of the trigger.' },
      },
      required: ['id'],
      additionalProperties: false,
    },
    outputSchema: triggerSchema,
    idempotent: true,
    documentation: () =>
      '# cancel_trigger\n\nEnds a trigger of your principal. A run that it has claimed and not started is not started any more. A trigger that has ended stays as it is.\n',
    classifyRisk: ({ id }) => ({ risk: 'high', summary: `Cancel the trigger ${shortText(String(id), 100)}` }),
    concurrency: { keys: ({ id }) => [`trigger-${id}`] },
    async execute({ id }, context) {
      context.check();
      const trigger = await triggersOf(parts).cancel(id, context);
      const text = `The trigger ${trigger.id} is ${trigger.status}.`;
      return { content: [textBlock(text)], isError: false, structuredContent: viewOf(trigger) };
    },
  });
}
