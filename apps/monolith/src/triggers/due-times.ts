import type { Trigger, TriggerSpec } from '@ravi/kernel';
import type { TriggerConfig } from '@ravi/host';
import { readCron } from './cron-schedule.ts';

/** Returns the first due time after a moment; `undefined` if none comes. */
export type NextTime = (after: number) => number | undefined;

/** Due times of a trigger that have passed, and what comes of them. */
export interface DuePlan {
  /** Times for which a run is started. */
  readonly fires: readonly number[];
  /** Times for which none is started; counted up to 100. */
  readonly skipped: number;
  /** Absent if no further time comes. */
  readonly nextDueAt?: number;
}

/** Limits of {@link planDueTimes}. */
export type DueLimits = Pick<TriggerConfig, 'minIntervalMs' | 'missedAfterMs' | 'maxMissedRuns'>;

const maxCounted = 100;

/** Returns the times of a timer or a schedule, at least `minIntervalMs` apart. @throws KernelError `E_ARGUMENTS_INVALID` for a cron expression that is not valid */
export function timesOf(spec: TriggerSpec): NextTime {
  if (spec.kind === 'schedule') {
    const schedule = readCron(spec.cron, spec.timeZone);
    return (after) => schedule.next(after);
  }
  if (spec.kind === 'channel') return () => undefined;
  const { at, everyMs } = spec;
  return (after) => {
    if (after < at) return at;
    return everyMs === undefined ? undefined : at + (Math.floor((after - at) / everyMs) + 1) * everyMs;
  };
}

/**
 * Decides about the due times from `nextDueAt` of a trigger to `now`. A time counts as missed `missedAfterMs` after it. `once`: one run for
 * the last of them, also for all that were missed before it. `skip`: a run for each that is not missed. `all`: a run for each, the first
 * `maxMissedRuns` of them.
 */
export function planDueTimes(
  { spec, misfire, nextDueAt }: Pick<Trigger, 'spec' | 'misfire' | 'nextDueAt'>,
  now: number,
  { minIntervalMs, missedAfterMs, maxMissedRuns }: DueLimits,
): DuePlan {
  if (nextDueAt === undefined) return { fires: [], skipped: 0 };
  const start = nextDueAt;
  const next = timesOf(spec);
  const following = (time: number): number | undefined => next(time + minIntervalMs - 1);
  const passed = timesUntil(start, now, following);
  const fires = firesOf();
  const last = passed.at(-1) ?? start;
  const then = passed.length === 0 ? start : following(last);
  const further = then !== undefined && then <= now ? next(now) : then;
  return {
    fires,
    skipped: passed.filter((time) => !fires.includes(time)).length,
    ...(further === undefined ? {} : { nextDueAt: further }),
  };

  function firesOf(): readonly number[] {
    if (misfire === 'once') return passed.slice(-1);
    if (misfire === 'all') return passed.slice(0, maxMissedRuns);
    // More times may have passed than are counted; those that are not missed are the last ones.
    const first = now - missedAfterMs <= start ? start : next(now - missedAfterMs - 1);
    return timesUntil(first, now, following);
  }
}

function timesUntil(first: number | undefined, until: number, following: NextTime): readonly number[] {
  const times: number[] = [];
  for (let time = first; time !== undefined && time <= until && times.length < maxCounted; time = following(time)) {
    times.push(time);
  }
  return times;
}
