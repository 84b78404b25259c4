import assert from 'node:assert/strict';
import { systemClock } from '@ravi/kernel';
import { test } from 'vitest';
import { raviEvents, streamEvents } from '../src/http/events/event-stream.ts';
import { createEventLog } from '../src/runs/event-log.ts';
import type { EventLog } from '../src/runs/event-log.ts';
import { readEvents } from './support/event-reader.ts';

const lifetime = new AbortController().signal;

async function idsOf(response: Response): Promise<readonly (string | undefined)[]> {
  const ids: (string | undefined)[] = [];
  for await (const { id } of readEvents(response)) ids.push(id);
  return ids;
}

test('readers of a run that ends reach its end without the store', async () => {
  const log = createEventLog({ clock: systemClock, redact: (data) => data, from: 0, onAppend: () => {} });
  let active: EventLog | undefined = log;
  const read = (): never => assert.fail('the store was read');
  const readers = [1, 2, 3].map(() =>
    idsOf(streamEvents({ active: () => active, read }, { runId: 'run_1', after: 0, format: raviEvents, lifetime })),
  );
  log.append({ type: 'run-start', kind: 'agent' });
  // Wait until they wait for more.
  await new Promise((resolve) => setImmediate(resolve));
  log.append({ type: 'run-end', status: 'completed' });
  active = undefined;
  log.close();
  assert.deepEqual(await Promise.all(readers), [
    ['1', '2'],
    ['1', '2'],
    ['1', '2'],
  ]);
});
