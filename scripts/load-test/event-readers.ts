import { startTally } from './figures.ts';
import type { Figures, Tally } from './figures.ts';
import { openEventStream } from './event-stream.ts';
import type { EventStream } from './event-stream.ts';

/** Number of readers and of events. */
export interface EventReadersOptions {
  readonly readers: number;
  readonly calls: number;
}

/** Every tenth reader leaves in the middle and comes back. */
const leaving = 10;

/**
 * Connects many readers to the events of one script, and one client that never reads. Measures how long each reader waits
 * for its connection and for each event. Each must see every event once and in order, also those that leave in the middle and come back with
 * `Last-Event-ID`.
 */
export async function loadEventReaders(url: string, options: EventReadersOptions): Promise<readonly Figures[]> {
  const { readers, calls } = options;
  const code = `await tools.hold({}); for (let call = 0; call < ${calls}; call++) await tools.echo({ call });`;
  const run = (await post(`${url}/v1/runs`, { kind: 'chain', code })) as { readonly id: string };
  const path = `/v1/runs/${run.id}/events`;
  using never = await openEventStream(url, path, 0);

  const attaching = startTally(`GET …/events, ${readers} at once, to the first event`);
  const attached = await Promise.all(Array.from({ length: readers }, () => attach(url, path, attaching)));
  const attachFigures = attaching.figures();

  const tally = startTally(`its events, ${readers} readers of ${calls} calls, one more that never reads`);
  const reading = attached.map((stream, index) => readAll(stream, index % leaving === 0 ? calls : undefined));
  await post(`${url}/v1/tools/release`, { args: {} });
  const lasts = await Promise.all(reading);
  // Two events of each call and of the one that held it, and the end of the run.
  const atLeast = 2 * (calls + 1) + 1;
  for (const last of lasts) if (last < atLeast || last !== lasts[0]) tally.wrong(`ended after ${last} events`);
  if (!never.isOpen) tally.wrong('who never reads was cut off at once');
  return [attachFigures, tally.figures()];

  /** Reads to the end of the run and returns the number of the last event. */
  async function readAll(first: EventStream, leavesAt: number | undefined): Promise<number> {
    let last = 0;
    let stream = first;
    let mayLeave = leavesAt !== undefined;
    for (;;) {
      for await (const { id, type, at } of stream) {
        if (id !== last + 1) tally.wrong(`event ${id} after ${last}`);
        last = id;
        tally.right(Math.max(0, Date.now() - at));
        if (type === 'run-end') return last;
        if (mayLeave && last >= (leavesAt ?? 0)) break;
      }
      if (!mayLeave) {
        tally.wrong('a stream ended before its run');
        return last;
      }
      mayLeave = false;
      stream = await openEventStream(url, path, last);
    }
  }
}

async function attach(url: string, path: string, tally: Tally): Promise<EventStream> {
  const started = performance.now();
  const stream = await openEventStream(url, path, 0);
  if ((await stream.status) === 200) tally.right(performance.now() - started);
  else tally.wrong(`status ${await stream.status}`);
  return stream;
}

async function post(url: string, body: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`POST ${url} answers ${response.status}`);
  return response.json();
}
