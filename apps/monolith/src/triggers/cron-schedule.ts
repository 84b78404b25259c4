import { KernelError } from '@ravi/kernel';
import { Cron } from 'croner';
import { checkTimeZone } from './time-zone.ts';

/** Times of a cron expression. */
export interface CronSchedule {
  readonly timeZone: string;
  /** Returns the first time after a moment; `undefined` if none comes. Both are milliseconds since the Unix epoch. */
  next(after: number): number | undefined;
}

const maxLength = 200;
const help = 'Use five fields: minute, hour, day of month, month, day of week, for example "30 9 * * MON-FRI"';
const nicknames: readonly string[] = ['@hourly', '@daily', '@midnight', '@weekly', '@monthly', '@yearly', '@annually'];

/**
 * Reads a cron expression with five fields, or a nickname such as `@daily`. A fixed time that daylight saving leaves out comes at the
 * end of the gap, and one that it repeats comes once; an expression with `*` or a step follows the clock on the wall instead.
 * @throws KernelError `E_ARGUMENTS_INVALID` that says what is wrong
 */
export function readCron(cron: string, timeZone: string): CronSchedule {
  const zone = checkTimeZone(timeZone);
  const text = checkFields(cron);
  const job = parse(text, zone);
  return {
    timeZone: zone,
    next: (after) => job.nextRun(new Date(after))?.getTime(),
  };
}

function checkFields(cron: string): string {
  if (cron.length > maxLength) {
    throw invalid(
      `${JSON.stringify(`${cron.slice(0, 32)}…`)} has ${cron.length} characters; the maximum is ${maxLength}`,
    );
  }
  const text = cron.trim();
  if (text.startsWith('@')) {
    if (nicknames.includes(text.toLowerCase())) return text;
    throw invalid(`${JSON.stringify(cron)} is unknown; there are ${nicknames.join(', ')}`);
  }
  const { length } = text.split(/\s+/u).filter(Boolean);
  if (length === 5) return text;
  const seconds = length === 6 ? '. Seconds are not supported: leave out the first field' : '';
  throw invalid(`${JSON.stringify(cron)} has ${length} field${length === 1 ? '' : 's'}${seconds}. ${help}`);
}

function parse(text: string, timezone: string): Cron {
  try {
    return new Cron(text, { timezone, paused: true, mode: '5-part', fixedTimeRule: 'no-wildcard' });
  } catch (error) {
    const reason = (error instanceof Error ? error.message : String(error)).replace(/^Cron\w+: /, '').slice(0, 200);
    throw invalid(`${JSON.stringify(text)} is not valid: ${reason}. ${help}`);
  }
}

function invalid(message: string): KernelError {
  return new KernelError('E_ARGUMENTS_INVALID', `The cron expression ${message}`);
}
