import type { api, QueryOf, TriggerDetails } from '@ravi/api';
import { KernelError } from '@ravi/kernel';
import type { Trigger, TriggerSpec, TriggerTimes } from '@ravi/kernel';
import { connect } from '../connection/connect.ts';
import { inputOf } from '../connection/connection.ts';
import type { CommandBody } from '../command.ts';
import { statusText, timeText } from '../render/format.ts';
import { printList, tableLines } from '../render/table.ts';
import { visible } from '../render/visible.ts';
import type { Terminal } from '../terminal.ts';

const needsInstallation = { needsInstallation: true } as const;
const maxTaskCharacters = 60;

/** Lists triggers, newest first. */
export const listTriggers: CommandBody = async (invocation, terminal) => {
  const { status, kind, limit, cursor } = invocation.values;
  await using client = await connect(invocation, terminal, needsInstallation);
  const query = inputOf<QueryOf<typeof api.triggers.list>>({ status, kind, limit, cursor });
  printList(await client.triggers.list(query), invocation, terminal, (trigger) => rowOf(trigger, terminal));
};

/** Shows a trigger with its firings and its permissions. */
export const showTrigger: CommandBody = async (invocation, terminal) => {
  const { trigger: id = '' } = invocation.values;
  await using client = await connect(invocation, terminal, needsInstallation);
  const trigger = await client.triggers.get(id);
  if (invocation.isJson) return terminal.print(JSON.stringify(trigger));
  for (const line of linesOf(trigger, terminal)) terminal.print(line);
};

/** Creates a trigger. @throws KernelError `E_ARGUMENTS_INVALID` for options that contradict each other */
export const addTrigger: CommandBody = async (invocation, terminal) => {
  const { task = '', agent, session: sessionId, misfire } = invocation.values;
  const spec = timesOf(invocation.values);
  await using client = await connect(invocation, terminal, needsInstallation);
  const trigger = await client.triggers.create({
    spec,
    task,
    ...(agent === undefined ? {} : { agent }),
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(misfire === undefined ? {} : { misfire: misfire as Trigger['misfire'] }),
  });
  if (invocation.isJson) return terminal.print(JSON.stringify(trigger));
  for (const line of tableLines([rowOf(trigger, terminal)])) terminal.print(line);
  if (client.isEmbedded) terminal.warn('It fires while a server runs: ravi serve');
};

/** Cancels a trigger. */
export const cancelTrigger: CommandBody = async (invocation, terminal) => {
  const { trigger: id = '' } = invocation.values;
  await using client = await connect(invocation, terminal, needsInstallation);
  const trigger = await client.triggers.cancel(id);
  terminal.print(invocation.isJson ? JSON.stringify(trigger) : `${trigger.id} is ${trigger.status}`);
};

type Values = Readonly<Record<string, string | undefined>>;

function timesOf({ in: wait, at, every, cron, timeZone, channel }: Values): TriggerTimes {
  const isTimer = [wait, at, every].some((value) => value !== undefined);
  const kinds = [isTimer, cron !== undefined, channel !== undefined].filter(Boolean).length;
  if (kinds !== 1) {
    const found = kinds === 0 ? 'none of them was given' : 'several of them were given';
    throw invalid(`A trigger needs a time (--in, --at, --every), --cron or --channel; ${found}`);
  }
  if (timeZone !== undefined && cron === undefined)
    throw invalid('--time-zone belongs to --cron; --at has its own zone');
  if (cron !== undefined) return { kind: 'schedule', cron, ...(timeZone === undefined ? {} : { timeZone }) };
  if (channel !== undefined) return { kind: 'channel', channel };
  return {
    kind: 'timer',
    ...(at === undefined ? {} : { at: readTime(at) }),
    ...(wait === undefined ? {} : { inMs: readDuration('--in', wait) }),
    ...(every === undefined ? {} : { everyMs: readDuration('--every', every) }),
  };
}

// Without a zone it would mean another moment at the server.
function readTime(text: string): number {
  const time = /(?:Z|[+-]\d{2}:\d{2})$/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  throw invalid(`--at is ${JSON.stringify(text)}; it must be a time with its zone, for example 2026-12-24T18:00+01:00`);
}

const unitsMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function readDuration(option: string, text: string): number {
  const [, count = '', unit = ''] = /^(\d{1,9}(?:\.\d{1,3})?)([smhd])$/.exec(text) ?? [];
  if (count !== '') return Math.round(Number(count) * (unitsMs[unit] ?? 0));
  throw invalid(`${option} is ${JSON.stringify(text)}; it must be a number with s, m, h or d, for example 90s or 2h`);
}

function invalid(message: string): KernelError {
  return new KernelError('E_ARGUMENTS_INVALID', message);
}

function rowOf(trigger: Trigger, terminal: Pick<Terminal, 'paint'>): readonly string[] {
  const { id, spec, status, nextDueAt, input } = trigger;
  const next = status === 'active' && spec.kind !== 'channel' && nextDueAt !== undefined ? timeText(nextDueAt) : '';
  return [id, statusText(status, terminal), visible(specText(spec)), next, visible(firstLine(input))];
}

function linesOf(trigger: TriggerDetails, terminal: Pick<Terminal, 'paint'>): readonly string[] {
  const { id, spec, status, principal, agent, sessionId, input, misfire, missed, permissions, firings } = trigger;
  const { tools, maxRiskUnapproved, toolRole } = permissions;
  const role = toolRole === undefined ? '' : `, tool role ${toolRole}`;
  const heading = [
    ['trigger', id],
    ['status', statusText(status, terminal)],
    ['fires', visible(specText(spec))],
    ...(status === 'active' && trigger.nextDueAt !== undefined && spec.kind !== 'channel'
      ? [['next', timeText(trigger.nextDueAt)]]
      : []),
    ['by', visible(principal)],
    ['agent', visible(agent)],
    ...(sessionId === undefined ? [] : [['session', visible(sessionId)]]),
    ['missed', `${missed}, policy ${misfire}`],
    ['may', visible(`call ${tools.length} tools, up to risk ${maxRiskUnapproved} without approval${role}`)],
    ['task', visible(input)],
  ];
  const runs = firings.map(({ dueAt, status: state, runId, error }) => [
    `  ${timeText(dueAt)}`,
    statusText(state, terminal),
    runId,
    error === undefined ? '' : visible(`${error.code}: ${error.message}`),
  ]);
  return [...tableLines(heading), ...(runs.length === 0 ? [] : ['runs']), ...tableLines(runs)];
}

function specText(spec: TriggerSpec): string {
  if (spec.kind === 'channel') return `messages in ${spec.channel}`;
  if (spec.kind === 'schedule') return `${spec.cron} ${spec.timeZone}`;
  return spec.everyMs === undefined ? 'once' : `every ${spec.everyMs / 1_000} s`;
}

function firstLine(text: string): string {
  const [line = ''] = text.trim().split('\n', 1);
  return line.length <= maxTaskCharacters ? line : `${line.slice(0, maxTaskCharacters)}…`;
}
