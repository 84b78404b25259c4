import { defineTool, KernelError } from '@ravi/kernel';
import type { Tool, TriggerTimes } from '@ravi/kernel';
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

interface TimerArguments {
  readonly at?: string;
  readonly inMs?: number;
  readonly everyMs?: number;
}

// With a zone: a time without one would mean another moment on each machine.
const timePattern = '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,3})?)?(Z|[+-]\\d{2}:\\d{2})$';

/** Creates the tool that starts a run at a time, or again and again. */
export function addTimerTool(parts: TriggerToolParts): Tool {
  return defineTool({
    name: 'add_timer',
    description:
      'Wakes you up later: starts a run of you with a task at a time, or again and again. Returns the trigger with its id.',
    promptHint:
      'To continue later, add_timer starts a run of you at a time, or again and again. End your run instead of waiting.',
    risk: 'high',
    inputSchema: {
      type: 'object',
      properties: {
        ...sharedArguments,
        at: {
          type: 'string',
          pattern: timePattern,
          description: 'Time with its zone, such as 2026-12-24T18:00:00+01:00.',
        },
        inMs: {
          type: 'integer',
          minimum: 0,
          maximum: 1e12,
          description: 'Milliseconds from now, instead of "at".',
        },
        everyMs: {
          type: 'integer',
          minimum: 1,
          maximum: 1e12,
          description:
            'Milliseconds between two runs; one run when absent. First after this time, unless "at" or "inMs" say otherwise.',
        },
        misfire: misfireArgument,
      },
      required: ['task'],
      additionalProperties: false,
    },
    outputSchema: triggerSchema,
    idempotent: true,
    documentation: () => documentation,
    classifyRisk: (args) => riskOfTrigger(whenOf(args), args),
    checkCall: (args) => triggersOf(parts).check(timesOf(args)),
    async execute({ misfire, task, continuesConversation = false, ...times }, context) {
      const request = { spec: timesOf(times), ...(misfire === undefined ? {} : { misfire }) };
      return addTrigger(parts, request, { task, continuesConversation }, context);
    },
  });
}

function timesOf({ at, inMs, everyMs }: TimerArguments): TriggerTimes {
  const time = at === undefined ? undefined : Date.parse(at);
  if (Number.isNaN(time)) throw new KernelError('E_ARGUMENTS_INVALID', `"at" is ${at}, which no calendar has`);
  return {
    kind: 'timer',
    ...(time === undefined ? {} : { at: time }),
    ...(inMs === undefined ? {} : { inMs }),
    ...(everyMs === undefined ? {} : { everyMs }),
  };
}

function whenOf({ at, inMs, everyMs }: TimerArguments): string {
  const first = at === undefined ? (inMs === undefined ? '' : `in ${inMs / 1_000} s`) : `at ${at}`;
  return [first, everyMs === undefined ? '' : `every ${everyMs / 1_000} s`].filter(Boolean).join(', then ');
}

const documentation = `# add_timer

Starts a run of the calling agent later. Give one of \`at\` and \`inMs\`, or \`everyMs\` for repeated runs.

${runDocumentation}
${timesDocumentation}
`;
