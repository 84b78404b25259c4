import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { startTally } from './figures.ts';
import type { Figures, Tally } from './figures.ts';

/** How many read the events of one run, and how many there are. */
export interface EventReadersOptions {
  readonly readers: number;
  readonly calls: number;
}

/** Every tenth reader leaves in the middle and comes back. */
const leaving = 10;

/**
 * Lets many read the events of one script from its beginning to its end, beside one that never reads. Each must see every
 * event once and in order, also those that leave in the middle and come back with `Last-Event-ID`.
 */
export async function loadEventReaders(url: string, options: EventReadersOptions): Promise<Figures> {
  const { readers, calls } = options;
  const code = `await tools.hold({}); for (let call = 0; call < ${calls}; call++) await tools.echo({ call });`;
  const run = (await post(`${url}/v1/runs`, { kind: 'chain', code })) as { readonly id: string };
  const path = `/v1/runs/${run.id}/events`;
  const never = await open(url, path, 0);
  never.pause();

  const attached = await Promise.all(Array.from({ length: readers }, () => open(url, path, 0)));
  const tally = startTally(`GET …/events, ${readers} readers of ${calls} calls, one more that never reads`);
  const reading = attached.map((socket, index) =>
    readAll(socket, {
      tally,
      leavesAt: index % leaving === 0 ? calls : undefined,
      back: (after) => open(url, path, after),
    }),
  );
  await post(`${url}/v1/tools/release`, { args: {} });
  const lasts = await Promise.all(reading);
  const figures = tally.figures();
  never.destroy();
  // The end of the run, the two events of each call and of the one that held it.
  const atLeast = 2 * (calls + 1) + 1;
  for (const last of lasts) if (last < atLeast || last !== lasts[0]) tally.wrong(`ended after ${last} events`);
  return { ...figures, faults: tally.figures().faults };
}

interface ReadAll {
  readonly tally: Tally;
  /** The event after which it leaves once. */
  readonly leavesAt: number | undefined;
  readonly back: (after: number) => Promise<Socket>;
}

/** Reads to the end of the run; the number of the last event. */
async function readAll(first: Socket, { tally, leavesAt, back }: ReadAll): Promise<number> {
  let last = 0;
  let socket = first;
  let isOver = false;
  let mayLeave = leavesAt !== undefined;
  while (!isOver) {
    let text = '';
    let hasLeft = false;
    socket.on('data', (chunk: Buffer) => {
      const frames = `${text}${chunk.toString()}`.split('\n\n');
      text = frames.pop() ?? '';
      for (const frame of frames) if (!hasLeft) take(frame);
    });
    const take = (frame: string): void => {
      const [, id] = /^id: (\d+)$/m.exec(frame) ?? [];
      // A heartbeat, or the headers of the answer before the first event.
      if (id === undefined) return;
      if (Number(id) !== last + 1) tally.wrong(`event ${id} after ${last}`);
      last = Number(id);
      tally.right(Math.max(0, Date.now() - Number(/"at":(\d+)/.exec(frame)?.[1])));
      if (/^event: run-ended$/m.test(frame)) isOver = true;
      if (!mayLeave || last < (leavesAt ?? 0)) return;
      mayLeave = false;
      hasLeft = true;
      socket.destroy();
    };
    await once(socket, 'close');
    if (isOver) return last;
    if (!hasLeft) {
      tally.wrong('a stream ended before its run');
      return last;
    }
    socket = await back(last);
  }
  return last;
}

// HTTP/1.0, so that the answer is the stream itself, without chunks around it.
async function open(url: string, path: string, after: number): Promise<Socket> {
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(`GET ${path} HTTP/1.0\r\nhost: ${host}\r\nlast-event-id: ${after}\r\n\r\n`);
  return socket;
}

async function post(url: string, body: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`POST ${url} answers ${response.status}`);
  return response.json();
}
