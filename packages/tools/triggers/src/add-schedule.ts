import { defineTool } from '@ravi/kernel';
import type { Tool, TriggerTimes } from '@ravi/kernel';
import { quoted } from '@ravi/tools-kit';
import { addTrigger, riskOfTrigger } from './add-trigger.ts';
import {
  misfireArgument,
  runDocumentation,
  sharedArguments,
  timesDocumentation,
  triggerSchema,
  triggersOf,
} from './trigger-parts.ts';
import type { TriggerToolParts } from './trigger-parts.ts';

/** Creates the tool that starts runs at the times of a cron expression. */
export function addScheduleTool(parts: TriggerToolParts): Tool {
  return defineTool({
    name: 'add_schedule',
    description:
      'Wakes you up again and again: starts a run of you with a task at the times of a cron expression. Returns the trigger with its id.',
    risk: 'high',
    inputSchema: {
      type: 'object',
      properties: {
        ...sharedArguments,
        cron: {
          type: 'string',
          minLength: 1,
          maxLength: 1_000,
          description:
            'Minute, hour, day of month, month and day of week, such as "30 9 * * MON-FRI", or @hourly, @daily, @weekly, @monthly.',
        },
        timeZone: {
          type: 'string',
          minLength: 1,
          maxLength: 100,
          description: 'IANA name, such as Europe/Berlin. Default: UTC.',
        },
        misfire: misfireArgument,
      },
      required: ['task', 'cron'],
      additionalProperties: false,
    },
    outputSchema: triggerSchema,
    idempotent: true,
    documentation: () => documentation,
    classifyRisk: (args) => riskOfTrigger(`at ${quoted(args.cron)} in ${quoted(args.timeZone ?? 'UTC')}`, args),
    checkCall: (args) => triggersOf(parts).check(scheduleOf(args)),
    async execute({ misfire, task, continuesConversation = false, ...times }, context) {
      const request = { spec: scheduleOf(times), ...(misfire === undefined ? {} : { misfire }) };
      return addTrigger(parts, request, { task, continuesConversation }, context);
    },
  });
}

function scheduleOf({ cron, timeZone }: { readonly cron: string; readonly timeZone?: string }): TriggerTimes {
  return { kind: 'schedule', cron, ...(timeZone === undefined ? {} : { timeZone }) };
}

const documentation = `# add_schedule

Starts runs of the calling agent at the times of a cron expression, in a time zone.

| field        | values          | also                                    |
| ------------ | --------------- | --------------------------------------- |
| minute       | 0-59            | \`*\`, lists \`0,30\`, ranges, steps \`*/15\` |
| hour         | 0-23            |                                         |
| day of month | 1-31            | \`L\` the last, \`15W\` the nearest weekday |
| month        | 1-12 or JAN-DEC |                                         |
| day of week  | 0-7 or SUN-SAT  | \`5#2\` the second Friday                 |

Of day of month and day of week one is enough if both are given.

Daylight saving: a fixed time that is left out in spring comes at the end of the gap, and one that is repeated in autumn comes once.
An expression with \`*\` or a step in its minutes or hours follows the clock: it leaves out the gap and repeats the hour.

${runDocumentation}
${timesDocumentation}
`;
