import assert from 'node:assert/strict';
import { createFakeClock } from '@ravi/testkit';
import type { FakeClock } from '@ravi/testkit';
import { test } from 'vitest';
import { createHumanWaitReports } from '../src/client/human-wait-reports.ts';
import type { HumanWaitReports } from '../src/client/human-wait-reports.ts';

interface Watched {
  readonly clock: FakeClock;
  readonly reports: HumanWaitReports;
  readonly sent: (readonly [number, boolean])[];
  person: 'absent' | 'asked';
  calls: number;
}

/** A run whose person is asked when a test says so. */
function watch(): Watched {
  const clock = createFakeClock();
  let waited = 0;
  let at = 0;
  let person: Watched['person'] = 'absent';
  const sent: (readonly [number, boolean])[] = [];
  const count = (): number => {
    if (person === 'asked') waited += clock.monotonic() - at;
    at = clock.monotonic();
    return waited;
  };
  const watched: Watched = {
    clock,
    sent,
    calls: 0,
    get person() {
      return person;
    },
    set person(next) {
      count();
      person = next;
    },
    reports: createHumanWaitReports({
      humanWaitMs: count,
      startMs: 0,
      hasOpenCalls: () => watched.calls > 0,
      report: (ms, isGrowing) => sent.push([ms, isGrowing]),
      clock,
    }),
  };
  return watched;
}

test('a run without an open call reports nothing and needs no timer', () => {
  const { clock, reports, sent } = watch();
  reports.look();
  assert.equal(clock.pendingTimers, 0);
  clock.advance(10_000);
  assert.deepEqual(sent, []);
});

test('the node learns within 50 ms that a person is asked, and at the reply how long it took', () => {
  const watched = watch();
  const { clock, reports, sent } = watched;
  watched.calls = 1;
  reports.look();
  clock.advance(1_000);
  assert.deepEqual(sent, []);
  watched.person = 'asked';
  clock.advance(50);
  assert.deepEqual(sent, [[50, true]]);
  // While the time grows as the node assumes, there is nothing to report.
  clock.advance(60_000);
  assert.equal(sent.length, 1);
  watched.person = 'absent';
  watched.calls = 0;
  clock.advance(100);
  reports.look();
  assert.equal(sent.at(-1)?.[0], 60_050);
  clock.advance(1_000);
  assert.deepEqual(sent.at(-1), [60_050, false]);
  assert.equal(clock.pendingTimers, 0);
});

test('a run that has ended reports nothing', () => {
  const watched = watch();
  watched.calls = 1;
  watched.person = 'asked';
  watched.reports.look();
  watched.reports.stop();
  watched.clock.advance(1_000);
  assert.deepEqual([watched.sent, watched.clock.pendingTimers], [[], 0]);
});
