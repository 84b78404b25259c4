import assert from 'node:assert/strict';
import { silentLogger, systemClock } from '@ravi/kernel';
import type { RunEventStore } from '@ravi/kernel';
import { createSqliteStateStore } from '@ravi/state-sqlite';
import { test } from 'vitest';
import { createEventLog } from '../src/runs/event-log.ts';
import { createStoreTick } from '../src/runs/store-tick.ts';

test('events that follow each other quickly are stored together, complete and in order', async () => {
  await using store = await createSqliteStateStore({ file: ':memory:' });
  const runIds = Array.from({ length: 10 }, (_, index) => `run_${index}`);
  let appends = 0;
  const events: RunEventStore = {
    append(...args) {
      appends += 1;
      return store.events.append(...args);
    },
    list: (...args) => store.events.list(...args),
  };
  // Longer than the test: what waits is stored by `hold`.
  const tick = createStoreTick(3_600_000);
  const writer = { owner: 'one', epoch: 1 };
  const logs = await Promise.all(
    runIds.map(async (id) => {
      const run = { id, principal: 'ada', sessionId: 's', definition: { kind: 'agent' }, createdAt: 1 };
      await store.runs.create(run, { owner: writer.owner });
      const options = { runId: id, events, clock: systemClock, logger: silentLogger, tick };
      const log = createEventLog({ ...options, redact: (data) => data });
      log.begin(writer);
      return log;
    }),
  );
  for (let line = 0; line < 200; line++) {
    for (const log of logs) log.append({ type: 'console', level: 'log', text: String(line) });
    // Each line arrives in a step of its own, as the calls of a script do.
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(logs.map((log) => log.hold()));
  for (const id of runIds) {
    const { items } = await store.events.list(id, { limit: 1_000 });
    assert.deepEqual(
      items.map(({ n, data }) => [n, data['text']]),
      Array.from({ length: 200 }, (_, index) => [index + 1, String(index)]),
    );
  }
  assert.equal(appends, 2 * runIds.length);
});
