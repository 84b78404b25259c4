import type { EventLog } from '../../runs/event-log.ts';
import type { RunEvent } from '../../runs/run-event.ts';
import type { RunRecorder } from '../../runs/run-recorder.ts';

/** How events of a run are written for a reader: whole frames of an event stream, or nothing. */
export interface EventFormat {
  readonly headers?: Readonly<Record<string, string>>;
  frame(event: RunEvent): string;
  /** After the last event. */
  readonly end?: string;
}

/** Ravi's own events, with their sequence as the id that a reader goes on after. */
export const raviEvents: EventFormat = {
  frame: ({ sequence, type, ...event }) => `id: ${sequence}\nevent: ${type}\ndata: ${JSON.stringify(event)}\n\n`,
};

const heartbeatMs = 15_000;

/**
 * The events after `sequence` as server-sent events, to the end of the run. They are read only as fast as the client
 * takes them, and nothing is kept for a client but its place in what is kept of the run.
 */
export function streamEvents(
  recorder: Pick<RunRecorder, 'active' | 'read'>,
  options: {
    readonly runId: string;
    readonly after: number;
    readonly format: EventFormat;
    readonly lifetime: AbortSignal;
  },
): Response {
  const { runId, format, lifetime } = options;
  const leaving = new AbortController();
  const signal = AbortSignal.any([lifetime, leaving.signal]);
  const encoder = new TextEncoder();
  let after = options.after;
  // Kept when the run is over, so that its readers come to the end of it without the store.
  let log: EventLog | undefined;

  async function next(): Promise<string | undefined> {
    for (;;) {
      log = recorder.active(runId) ?? log;
      const events = log?.after(after) ?? (await recorder.read(runId, after));
      const last = events.at(-1);
      if (last !== undefined) {
        after = last.sequence;
        const text = events.map((event) => format.frame(event)).join('');
        if (text !== '') return text;
        continue;
      }
      if (signal.aborted || log === undefined || log.isClosed) return undefined;
      if (!(await somethingHappens(log, signal))) return ': still here\n\n';
    }
  }

  let isOver = false;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (isOver) return controller.close();
      const text = await next();
      if (text !== undefined) return controller.enqueue(encoder.encode(text));
      isOver = true;
      if (format.end === undefined || lifetime.aborted) return controller.close();
      controller.enqueue(encoder.encode(format.end));
    },
    cancel: () => leaving.abort(),
  });
  const headers = {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    ...format.headers,
  };
  return new Response(body, { headers });
}

/** Waits for the log or the signal; `false` when nothing happened until a sign of life is due. */
async function somethingHappens(log: EventLog, signal: AbortSignal): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const happened = (): void => resolve(true);
  const heartbeat = setTimeout(resolve, heartbeatMs, false);
  const leave = log.subscribe(happened);
  signal.addEventListener('abort', happened);
  try {
    return await promise;
  } finally {
    clearTimeout(heartbeat);
    leave();
    signal.removeEventListener('abort', happened);
  }
}
