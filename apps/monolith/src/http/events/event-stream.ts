import type { RecordedEvent } from '@ravi/api';
import { isKernelError } from '@ravi/kernel';
import type { RunStore } from '@ravi/kernel';
import type { EventLog } from '../../runs/event-log.ts';
import type { RunRecorder } from '../../runs/run-recorder.ts';
import type { EventPosition } from '../../runs/shown-events.ts';
import type { EventRelay } from './event-relay.ts';

/** Format of a run's events: each event becomes whole frames of an event stream, or nothing. */
export interface EventFormat {
  readonly headers?: Readonly<Record<string, string>>;
  frame(event: RecordedEvent): string;
  /** Text after the last event. */
  readonly end?: string;
  /** Returns the text for a client whose stream ends before the run does, because the process shuts down. */
  interrupted?(): string;
}

/** Ravi's own format. A client resumes after the id of the last event; an event for display has none. */
export const raviEvents: EventFormat = {
  frame: ({ id, type, ...event }) =>
    `${id === undefined ? '' : `id: ${id}\n`}event: ${type}\ndata: ${JSON.stringify(event)}\n\n`,
};

/** Message for a client whose stream ends because the process shuts down. */
export const shutdownMessage = 'The server is shutting down; the run continues with its next start';
/** Sources of the events of runs. */
export interface EventSources {
  readonly recorder: Pick<RunRecorder, 'active' | 'page'>;
  readonly runs: Pick<RunStore, 'get'>;
  /** Absent if events of runs that other servers execute are only read from the store. */
  readonly relay?: EventRelay | undefined;
}

/** Options of {@link streamEvents}. */
export interface StreamOptions {
  readonly runId: string;
  /** Id of the last known event; absent for the beginning of the run. */
  readonly after?: string | undefined;
  /** Number of events for display that are known after it; 0 when absent. */
  readonly part?: number;
  /** True for the stream to another server, which ends when this process executes the run no longer. */
  readonly isRelayed?: boolean;
  readonly format: EventFormat;
  readonly lifetime: AbortSignal;
  /** Called once, when the stream has ended, failed or lost its client. */
  readonly onEnd?: () => void;
}

const heartbeatMs = 15_000;
// For a run that another process executes, or will.
const pollMs = 250;
const pollsPerStatus = 8;

/**
 * Streams the events after an id as server-sent events, until the run ends or pauses: from memory while this process executes
 * the run, from the server that executes it, or from the store. Events are read only as fast as the client reads them; the server stores only the position of
 * each client.
 */
export function streamEvents(sources: EventSources, options: StreamOptions): Response {
  const { format, lifetime, onEnd = () => {} } = options;
  const leaving = new AbortController();
  const signal = AbortSignal.any([lifetime, leaving.signal]);
  const batches = readEvents(sources, options, signal);
  const encoder = new TextEncoder();
  let isOver = false;

  function end(): void {
    if (isOver) return;
    isOver = true;
    onEnd();
  }

  /** Returns the next text; `undefined` after the last one. */
  async function next(): Promise<string | undefined> {
    try {
      for (;;) {
        const { value: events, done } = await batches.next();
        if (done === true) return undefined;
        const text = events === undefined ? ': still here\n\n' : events.map((event) => format.frame(event)).join('');
        if (text !== '') return text;
      }
    } catch (error) {
      end();
      throw error;
    }
  }

  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (isOver) return controller.close();
      const text = await next();
      if (text !== undefined) return controller.enqueue(encoder.encode(text));
      end();
      const last = (lifetime.aborted ? format.interrupted?.() : format.end) ?? '';
      if (last === '') return controller.close();
      controller.enqueue(encoder.encode(last));
    },
    cancel() {
      leaving.abort();
      end();
    },
  });
  const headers = {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    ...format.headers,
  };
  return new Response(body, { headers });
}

/** Yields events in order, each once, and `undefined` for a heartbeat. Returns after the end or a pause of the run. */
async function* readEvents(
  { recorder, runs, relay }: EventSources,
  { runId, after, part = 0, isRelayed = false }: StreamOptions,
  signal: AbortSignal,
): AsyncGenerator<readonly RecordedEvent[] | undefined, void, undefined> {
  let position: EventPosition = { id: after, part };
  // Kept after the run ends, so that its readers reach the end without the store.
  let log: EventLog | undefined;
  let last: RecordedEvent | undefined;
  let quietMs = 0;
  let polls = 0;

  for (;;) {
    log = recorder.active(runId) ?? log;
    const isActive = log !== undefined && !log.isClosed;
    const inMemory = log?.after(position);
    const isInMemory = inMemory !== undefined && (isActive || inMemory.length > 0);
    const hasStopped = (last?.type === 'run-paused' || isRelayed) && !isActive && !isInMemory;
    if (signal.aborted || last?.type === 'run-end' || hasStopped) return;
    const events = isInMemory ? inMemory : await storedAfter(position.id);
    if (events !== undefined && events.length > 0) {
      note(events);
      yield events;
      continue;
    }
    if (isInMemory) {
      if (!(await changed(log, signal, heartbeatMs))) yield undefined;
      continue;
    }
    // The end is stored together with the status, so a final status is read before the last look at the events.
    if (events !== undefined && polls++ % pollsPerStatus === 0) {
      const run = await unlessUnavailable(async () => (await runs.get(runId)) ?? 'removed');
      if (run === 'removed' || (run !== undefined && run.status !== 'running')) {
        if ((await storedAfter(position.id))?.length === 0) return;
        continue;
      }
      let hasRead = false;
      for await (const event of run === undefined ? [] : (relay?.read(run, position, signal) ?? [])) {
        hasRead = true;
        if (event !== undefined) note([event]);
        yield event === undefined ? undefined : [event];
      }
      if (hasRead) continue;
    }
    await changed(log, signal, pollMs);
    quietMs += pollMs;
    if (quietMs >= heartbeatMs) {
      quietMs = 0;
      yield undefined;
    }
  }

  function note(events: readonly RecordedEvent[]): void {
    for (const { id, part: number = 0 } of events) {
      position = id === undefined ? { ...position, part: number } : { id, part: 0 };
    }
    last = events.at(-1);
    quietMs = 0;
  }

  // The reader waits while the store does not respond: the run may continue.
  async function storedAfter(id: string | undefined): Promise<readonly RecordedEvent[] | undefined> {
    return unlessUnavailable(() => recorder.page(runId, id));
  }
}

async function unlessUnavailable<Value>(operation: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await operation();
  } catch (error) {
    if (isKernelError(error, 'E_STATE_UNAVAILABLE')) return undefined;
    throw error;
  }
}

/** Waits for the log or the signal. Returns `false` if nothing changes within the time. */
async function changed(log: EventLog | undefined, signal: AbortSignal, timeMs: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const onChange = (): void => resolve(true);
  const timer = setTimeout(resolve, timeMs, false);
  const unsubscribe = log?.isClosed === true ? undefined : log?.subscribe(onChange);
  signal.addEventListener('abort', onChange, { once: true });
  if (signal.aborted) onChange();
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    unsubscribe?.();
    signal.removeEventListener('abort', onChange);
  }
}
