import { defineTool, textBlock } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';
import { triggersOf, triggerSchema, viewOf } from './trigger-parts.ts';
import type { TriggerToolParts } from './trigger-parts.ts';

const maxListed = 100;

/** Creates the tool that lists the triggers of the caller. */
export function listTriggersTool(parts: TriggerToolParts): Tool {
  return defineTool({
    name: 'list_triggers',
    description:
      'Lists timers, schedules and watched channels of your user, newest first, with the next due time of each.',
    risk: 'safe',
    inputSchema: {
      type: 'object',
      properties: {
        status: {
          type: 'string',
          enum: ['active', 'ended', 'cancelled', 'all'],
          description: 'Only those with this status. Default: active.',
        },
        cursor: { type: 'string', minLength: 1, maxLength: 100, description: '"next" of the previous result.' },
      },
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        triggers: { type: 'array', items: triggerSchema },
        next: { type: 'string', description: 'Present if there are more: pass it as "cursor".' },
      },
      required: ['triggers'],
    },
    documentation: () =>
      `# list_triggers\n\nLists up to ${maxListed} triggers of your principal: those of all its agents, and those that people created.\n`,
    async execute({ status = 'active', cursor }, context) {
      const page = { limit: maxListed, ...(cursor === undefined ? {} : { cursor }) };
      const { items, next } = await triggersOf(parts).list(status === 'all' ? {} : { status }, context, page);
      const triggers = items.map(viewOf);
      const lines = triggers.map((each) => `${each['id']} ${each['status']}: ${each['waitsFor']}: ${each['task']}`);
      const more = next === undefined ? [] : [`There are more: call again with cursor ${JSON.stringify(next)}`];
      const text = lines.length === 0 ? 'There are no such triggers.' : [...lines, ...more].join('\n');
      const structuredContent = next === undefined ? { triggers } : { triggers, next };
      return { content: [textBlock(text)], isError: false, structuredContent };
    },
  });
}
