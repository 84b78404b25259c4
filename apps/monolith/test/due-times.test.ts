import assert from 'node:assert/strict';
import { isKernelError } from '@ravi/kernel';
import type { MisfirePolicy, TriggerSpec, TriggerTimes } from '@ravi/kernel';
import { createSeededRandom } from '@ravi/testkit';
import { test } from 'vitest';
import { checkTimes } from '../src/triggers/check-times.ts';
import { readCron } from '../src/triggers/cron-schedule.ts';
import { planDueTimes, timesOf } from '../src/triggers/due-times.ts';

const at = (text: string): number => Date.parse(text);
const shown = (time: number | undefined): string =>
  time === undefined ? 'never' : new Date(time).toISOString().slice(0, 16);
const minute = 60_000;
const hour = 60 * minute;
const limits = { minIntervalMs: minute, missedAfterMs: minute, maxMissedRuns: 3, maxAheadDays: 366 };

function times(cron: string, timeZone: string, from: string, count: number): readonly string[] {
  const { next } = readCron(cron, timeZone);
  const found: string[] = [];
  for (let time = next(at(from)); time !== undefined && found.length < count; time = next(time))
    found.push(shown(time));
  return found;
}

for (const { name, cron, from, expected } of [
  {
    name: 'a fixed time that spring leaves out comes at the end of the gap',
    cron: '30 2 * * *',
    from: '2026-03-28T00:00Z',
    expected: ['2026-03-28T01:30', '2026-03-29T01:00', '2026-03-30T00:30'],
  },
  {
    name: 'a fixed time that autumn repeats comes once',
    cron: '30 2 * * *',
    from: '2026-10-24T00:00Z',
    expected: ['2026-10-24T00:30', '2026-10-25T00:30', '2026-10-26T01:30'],
  },
  {
    name: 'steps leave out the gap of spring',
    cron: '*/30 2 * * *',
    from: '2026-03-28T02:00Z',
    expected: ['2026-03-30T00:00', '2026-03-30T00:30'],
  },
  {
    name: 'every half hour comes through the repeated hour',
    cron: '*/30 * * * *',
    from: '2026-10-24T23:45Z',
    expected: ['2026-10-25T00:00', '2026-10-25T00:30', '2026-10-25T01:00', '2026-10-25T01:30', '2026-10-25T02:00'],
  },
  {
    name: 'nine in the morning stays nine in the morning',
    cron: '0 9 * * *',
    from: '2026-03-28T00:00Z',
    expected: ['2026-03-28T08:00', '2026-03-29T07:00'],
  },
]) {
  test(`in Europe/Berlin ${name}`, () => {
    assert.deepEqual(times(cron, 'Europe/Berlin', from, expected.length), expected);
  });
}

test('29 February, zones with half an hour, and zones south of the equator', () => {
  assert.deepEqual(times('0 0 29 2 *', 'UTC', '2026-01-01T00:00Z', 2), ['2028-02-29T00:00', '2032-02-29T00:00']);
  assert.deepEqual(times('0 9 * * *', 'Asia/Kolkata', '2026-01-01T00:00Z', 1), ['2026-01-01T03:30']);
  // Lord Howe Island moves its clocks by half an hour.
  assert.deepEqual(times('15 2 4,5 10 *', 'Australia/Lord_Howe', '2026-10-03T00:00Z', 2), [
    '2026-10-03T15:30',
    '2026-10-04T15:15',
  ]);
  assert.deepEqual(times('@DAILY', 'america/new_york', '2026-01-01T00:00Z', 1), ['2026-01-01T05:00']);
});

test('times only go forward, and each is after the one before, in every zone', () => {
  const random = createSeededRandom(7);
  const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Pacific/Apia', 'UTC'];
  const expressions = ['30 2 * * *', '*/7 * * * *', '0 0,2,3 * * *', '15 1-3 * * 0', '0 0 1 * *', '59 23 L * *'];
  const start = at('2024-01-01T00:00Z');
  for (let round = 0; round < 200; round++) {
    const [cron, timeZone] = [random.pick(expressions), random.pick(zones)];
    const after = start + random.below(6 * 365 * 24 * 60) * minute + random.below(minute);
    const next = readCron(cron, timeZone).next(after);
    const about = `${cron} in ${timeZone} after ${shown(after)}`;
    assert.ok(next !== undefined && next > after && next % minute === 0, about);
    assert.equal(readCron(cron, timeZone).next(next - 1), next, about);
  }
});

for (const [cron, timeZone, message] of [
  ['* * * *', 'UTC', /"\* \* \* \*" has 4 fields\. Use five fields/],
  ['0 0 9 * * *', 'UTC', /6 fields\. Seconds are not supported/],
  ['61 * * * *', 'UTC', /Invalid value for minute: 61.*Use five fields/],
  ['', 'UTC', /has 0 fields/],
  ['@reboot', 'UTC', /"@reboot" is unknown; there are @hourly, @daily/],
  ['*/0 * * * *', 'UTC', /not valid/],
  ['2026-01-01T00:00:00', 'UTC', /has 1 field\./],
  ['0 9 * * *\u0000', 'UTC', /not valid/],
  [`${'1'.repeat(300)} * * * *`, 'UTC', /has 308 characters; the maximum is 200/],
  ['0 9 * * *', 'Berlin', /no time zone "Berlin"; did you mean Europe\/Berlin/],
  ['0 9 * * *', 'Europe/Berln', /did you mean Europe\/Berlin/],
  ['0 9 * * *', '+02:00', /no time zone "\+02:00".*IANA/],
  ['0 9 * * *', '../etc/passwd', /no time zone/],
  ['0 9 * * *', '', /no time zone ""/],
] as const) {
  test(`the schedule ${JSON.stringify(cron.slice(0, 30))} in ${JSON.stringify(timeZone)} is refused with a reason`, () => {
    assert.throws(
      () => readCron(cron, timeZone),
      (error) => {
        assert.ok(isKernelError(error, 'E_ARGUMENTS_INVALID'));
        assert.match(error.message, message);
        return true;
      },
    );
  });
}

const now = at('2026-01-01T12:00Z');
const refusals: readonly (readonly [TriggerTimes, RegExp])[] = [
  [{ kind: 'timer' }, /needs "at", "inMs" or "everyMs"/],
  [{ kind: 'timer', at: now, inMs: 1 }, /not both/],
  [{ kind: 'timer', at: now - 1 }, /2026-01-01T11:59:59.999Z of the timer has passed; it is 2026-01-01T12/],
  [{ kind: 'timer', at: 1e17 }, /not a time/],
  [{ kind: 'timer', at: Number.NaN }, /not a time/],
  [{ kind: 'timer', inMs: 400 * 24 * hour }, /more than 366 days ahead/],
  [{ kind: 'timer', everyMs: 59_999 }, /every 59\.999 seconds; the shortest interval is 1 minute/],
  [{ kind: 'schedule', cron: '0 0 30 2 *' }, /"0 0 30 2 \*" has no time that ever comes/],
  [{ kind: 'schedule', cron: '0 0 29 2 *' }, /2028-02-29T00:00:00.000Z is more than 366 days ahead/],
];
for (const [asked, message] of refusals) {
  test(`the times ${JSON.stringify(asked)} are refused with the limit`, () => {
    assert.throws(() => checkTimes(asked, now, limits), message);
  });
}

test('an expression that comes more often than the limit is refused, also if only sometimes', () => {
  const hourly = { ...limits, minIntervalMs: hour };
  for (const cron of ['*/30 * * * *', '0,59 0,23 * * *', '0 9-17 * * 1,2']) {
    const check = () => checkTimes({ kind: 'schedule', cron }, now, hourly);
    if (cron.startsWith('0 9')) assert.equal(shown(check().nextDueAt), '2026-01-05T09:00');
    else assert.throws(check, /the shortest interval is 1 hour/);
  }
});

test('a timer begins at a time, after a time, or after its interval', () => {
  const first = (asked: TriggerTimes): number => checkTimes(asked, now, limits).nextDueAt - now;
  assert.equal(first({ kind: 'timer', at: now }), 0);
  assert.equal(first({ kind: 'timer', inMs: 5_000, everyMs: hour }), 5_000);
  assert.equal(first({ kind: 'timer', everyMs: hour }), hour);
  const next = timesOf({ kind: 'timer', at: now, everyMs: hour });
  assert.deepEqual(
    [next(now - 5), next(now), next(now + hour - 1), next(now + hour)],
    [now, now + hour, now + hour, now + 2 * hour],
  );
  assert.equal(timesOf({ kind: 'timer', at: now })(now), undefined);
});

const hourly: TriggerSpec = { kind: 'timer', at: now, everyMs: hour };
const plan = (misfire: MisfirePolicy, seen: number, spec: TriggerSpec = hourly): object => {
  const { fires, skipped, nextDueAt } = planDueTimes({ spec, misfire, nextDueAt: now }, seen, limits);
  return {
    fires: fires.map((time) => (time - now) / hour),
    skipped,
    next: nextDueAt === undefined ? 'none' : (nextDueAt - now) / hour,
  };
};

test('a time that is seen in time starts one run under every policy', () => {
  for (const misfire of ['once', 'skip', 'all'] as const) {
    assert.deepEqual(plan(misfire, now), { fires: [0], skipped: 0, next: 1 });
    assert.deepEqual(plan(misfire, now - 1), { fires: [], skipped: 0, next: 0 });
    assert.deepEqual(plan(misfire, now, { kind: 'timer', at: now }), { fires: [0], skipped: 0, next: 'none' });
  }
});

test('of missed times "once" runs for the last, "skip" for none, and "all" for the first of them', () => {
  const seen = now + 4.5 * hour;
  assert.deepEqual(plan('once', seen), { fires: [4], skipped: 4, next: 5 });
  assert.deepEqual(plan('skip', seen), { fires: [], skipped: 5, next: 5 });
  assert.deepEqual(plan('all', seen), { fires: [0, 1, 2], skipped: 2, next: 5 });
  assert.deepEqual(plan('skip', now + 4 * hour + minute), { fires: [4], skipped: 4, next: 5 });
  const once = { kind: 'timer', at: now } as const;
  assert.deepEqual(plan('once', seen, once), { fires: [0], skipped: 0, next: 'none' });
  assert.deepEqual(plan('skip', seen, once), { fires: [], skipped: 1, next: 'none' });
});

test('a server that was down for years counts 100 missed times, and the next time is in the future', () => {
  const seen = now + 30_000 * hour + hour / 2;
  assert.deepEqual(plan('once', seen), { fires: [99], skipped: 99, next: 30_001 });
  assert.deepEqual(plan('all', seen), { fires: [0, 1, 2], skipped: 97, next: 30_001 });
  assert.deepEqual(plan('skip', now + 30_000 * hour), { fires: [30_000], skipped: 100, next: 30_001 });
});

test('a lower limit of the interval also holds for triggers that exist already', () => {
  const spec: TriggerSpec = { kind: 'timer', at: now, everyMs: minute };
  const { nextDueAt } = planDueTimes({ spec, misfire: 'once', nextDueAt: now }, now, {
    ...limits,
    minIntervalMs: hour,
  });
  assert.equal(nextDueAt, now + hour);
});
