import { KernelError } from '@ravi/kernel';
import type { JsonSchema, Trigger, TriggerAccess, TriggerSpec } from '@ravi/kernel';

/** Parts that the tools of triggers share. */
export interface TriggerToolParts {
  /** Absent in a program without a state store. */
  readonly triggers: TriggerAccess | undefined;
}

/** Returns the triggers of the server. @throws KernelError `E_UNSUPPORTED` without a state store */
export function triggersOf({ triggers }: TriggerToolParts): TriggerAccess {
  if (triggers !== undefined) return triggers;
  const message = 'Triggers need a state store, which this program does not have: configure plugins.stateStore';
  throw new KernelError('E_UNSUPPORTED', message, { hadNoEffect: true });
}

/** Schema of an argument. */
interface Described<Type extends string> {
  readonly type: Type;
  readonly description: string;
}

/** Arguments that every tool has that adds a trigger. */
export const sharedArguments: {
  readonly task: Described<'string'> & { readonly minLength: number; readonly maxLength: number };
  readonly continuesConversation: Described<'boolean'>;
} = {
  task: {
    type: 'string',
    minLength: 1,
    maxLength: 100_000,
    description:
      'What you are to do when it fires. The run sees only this, unless it continues this conversation: name everything that it needs.',
  },
  continuesConversation: {
    type: 'boolean',
    description: 'True if the run continues this conversation. Default: it begins a new one.',
  },
};

/** Argument about due times that no server saw. */
export const misfireArgument: Described<'string'> & { readonly enum: readonly ['once', 'skip', 'all'] } = {
  type: 'string',
  enum: ['once', 'skip', 'all'],
  description: 'For times that pass while no server runs: one run for all of them (default), none, or one for each.',
};

/** Lines of the documentation of every tool that adds a trigger. */
export const runDocumentation = `- The run belongs to the same principal. It may call the tools that you may call now, or fewer, and asks for approval like any run.
- \`continuesConversation: true\`: the run sees this conversation. While another run works in it, the start waits.
  A delegate cannot: its conversation is that of its caller.
- The server limits the number of triggers.`;

/** Lines of the documentation of tools that add a trigger of times. */
export const timesDocumentation = `- Each due time starts one run, also if the server restarts or several servers share the database.
- \`misfire\` says what happens to times that pass while no server runs. \`once\` starts one run for all of them.
- The server limits the shortest interval, and how far ahead a time may be.`;

/** Schema of a trigger in results. */
export const triggerSchema: JsonSchema = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    kind: { type: 'string', enum: ['timer', 'schedule', 'channel'] },
    waitsFor: { type: 'string', description: 'The time, the schedule or the channel in words.' },
    task: { type: 'string' },
    agent: { type: 'string' },
    status: { type: 'string', enum: ['active', 'ended', 'cancelled'] },
    nextDueAt: { type: 'string', description: 'ISO 8601, in UTC.' },
    lastFiredAt: { type: 'string', description: 'ISO 8601, in UTC.' },
    missed: { type: 'integer' },
  },
  required: ['id', 'kind', 'waitsFor', 'task', 'agent', 'status', 'missed'],
};

/** Trigger as tools return it. */
export type TriggerView = Readonly<Record<string, string | number>>;

const maxTaskCharacters = 200;

/** Returns a trigger as tools return it. */
export function viewOf({ id, spec, input, agent, status, nextDueAt, lastFiredAt, missed }: Trigger): TriggerView {
  const isOfTimes = spec.kind !== 'channel';
  return {
    id,
    kind: spec.kind,
    waitsFor: specText(spec),
    task: shortText(input, maxTaskCharacters),
    agent,
    status,
    ...(isOfTimes && status === 'active' && nextDueAt !== undefined ? { nextDueAt: timeText(nextDueAt) } : {}),
    ...(lastFiredAt === undefined ? {} : { lastFiredAt: timeText(lastFiredAt) }),
    missed,
  };
}

/** Returns what a trigger waits for, in words. */
function specText(spec: TriggerSpec): string {
  if (spec.kind === 'channel') return `messages in the channel ${spec.channel}`;
  if (spec.kind === 'schedule') return `${spec.cron} in ${spec.timeZone}`;
  const first = timeText(spec.at);
  return spec.everyMs === undefined ? first : `${first}, then every ${spec.everyMs / 1_000} s`;
}

/** Returns the beginning of a text, in one line. */
export function shortText(text: string, maxCharacters: number): string {
  const line = text.replaceAll(/\s+/gu, ' ').trim();
  return line.length <= maxCharacters ? line : `${line.slice(0, maxCharacters).toWellFormed()}…`;
}

function timeText(time: number): string {
  return new Date(time).toISOString();
}
