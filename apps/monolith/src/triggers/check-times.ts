import type { TriggerConfig } from '@ravi/host';
import type { TriggerSpec, TriggerTimes } from '@ravi/kernel';
import { readCron } from './cron-schedule.ts';
import { timesOf } from './due-times.ts';
import { durationText, invalidTrigger } from './trigger-problem.ts';

/** Checked times of a trigger, and the first of them. */
export interface CheckedTimes {
  readonly spec: TriggerSpec;
  readonly nextDueAt: number;
}

/** Limits of {@link checkTimes}. */
export type TimeLimits = Pick<TriggerConfig, 'minIntervalMs' | 'maxAheadDays'>;

const dayMs = 86_400_000;
// The shortest interval of most expressions is among the first ones; runs keep the minimum anyhow.
const comparedTimes = 64;
/** Interval below which five fields of cron cannot go. */
const cronResolutionMs = 60_000;

/**
 * Checks what a new trigger waits for. @throws KernelError `E_ARGUMENTS_INVALID` for times that are not valid, never come, come too often, or
 * are too far ahead
 */
export function checkTimes(asked: TriggerTimes, now: number, limits: TimeLimits): CheckedTimes {
  const spec = specOf(asked, now);
  if (spec.kind === 'channel') return { spec, nextDueAt: now };
  checkInterval(spec, now, limits);
  const nextDueAt = timesOf(spec)(spec.kind === 'timer' ? now - 1 : now);
  if (nextDueAt === undefined) throw invalidTrigger(neverText(spec, now));
  if (nextDueAt - now > limits.maxAheadDays * dayMs) {
    const when = new Date(nextDueAt).toISOString();
    throw invalidTrigger(
      `The first due time ${when} is more than ${limits.maxAheadDays} days ahead, the maximum (triggers.maxAheadDays)`,
    );
  }
  return { spec, nextDueAt };
}

function specOf(asked: TriggerTimes, now: number): TriggerSpec {
  switch (asked.kind) {
    case 'channel':
      return { kind: 'channel', channel: asked.channel };
    case 'schedule': {
      const { timeZone } = readCron(asked.cron, asked.timeZone ?? 'UTC');
      return { kind: 'schedule', cron: asked.cron.trim(), timeZone };
    }
    case 'timer':
      return timerOf(asked, now);
  }
}

function timerOf({ at, inMs, everyMs }: TriggerTimes & { readonly kind: 'timer' }, now: number): TriggerSpec {
  if (at !== undefined && inMs !== undefined) throw invalidTrigger('A timer has "at" or "inMs", not both');
  const waitMs = inMs ?? everyMs;
  const first = at ?? (waitMs === undefined ? undefined : now + waitMs);
  if (first === undefined) throw invalidTrigger('A timer needs "at", "inMs" or "everyMs"');
  const isTime = Number.isSafeInteger(first) && Math.abs(first) <= 8.64e15;
  if (!isTime) throw invalidTrigger(`The time ${first} of a timer is not a time in whole milliseconds`);
  if (first < now) {
    const shown = new Date(first).toISOString();
    throw invalidTrigger(`The time ${shown} of the timer has passed; it is ${new Date(now).toISOString()}`);
  }
  return { kind: 'timer', at: first, ...(everyMs === undefined ? {} : { everyMs }) };
}

function checkInterval(
  spec: Exclude<TriggerSpec, { kind: 'channel' }>,
  now: number,
  { minIntervalMs }: TimeLimits,
): void {
  const shortest = spec.kind === 'timer' ? (spec.everyMs ?? Infinity) : shortestInterval(spec, now, minIntervalMs);
  if (shortest >= minIntervalMs) return;
  const limit = durationText(minIntervalMs);
  throw invalidTrigger(
    `The trigger would fire every ${durationText(shortest)}; the shortest interval is ${limit} (triggers.minIntervalMs)`,
  );
}

function shortestInterval(spec: TriggerSpec, now: number, minIntervalMs: number): number {
  if (minIntervalMs <= cronResolutionMs) return Infinity;
  const next = timesOf(spec);
  let shortest = Infinity;
  let time = next(now);
  for (let count = 0; time !== undefined && count < comparedTimes && shortest >= minIntervalMs; count++) {
    const following = next(time);
    if (following !== undefined) shortest = Math.min(shortest, following - time);
    time = following;
  }
  return shortest;
}

function neverText(spec: TriggerSpec, now: number): string {
  if (spec.kind !== 'schedule') return `The timer has no time after ${new Date(now).toISOString()}`;
  return `The cron expression ${JSON.stringify(spec.cron)} has no time that ever comes: no such day exists`;
}
