import type { RecordedEvent } from '@ravi/api';
import type { EventLog } from '../../runs/event-log.ts';
import type { RunRecorder } from '../../runs/run-recorder.ts';

/** Format of a run's events: each event becomes whole frames of an event stream, or nothing. */
export interface EventFormat {
  readonly headers?: Readonly<Record<string, string>>;
  frame(event: RecordedEvent): string;
  /** Text after the last event. */
  readonly end?: string;
  /** Returns the text for a client whose stream ends before the run does, because the process shuts down. */
  interrupted?(): string;
}

/** Ravi's own format. The id of an event is its sequence, from which a client resumes. */
export const raviEvents: EventFormat = {
  frame: ({ sequence, type, ...event }) => `id: ${sequence}\nevent: ${type}\ndata: ${JSON.stringify(event)}\n\n`,
};

/** Message for a client whose stream ends because the process shuts down. */
export const shutdownMessage = 'The server is shutting down; the run continues with its next start';

const heartbeatMs = 15_000;

/**
 * Streams the events after a sequence as server-sent events, until the run ends. Events are read only as fast as the client
 * reads them; the server stores only the position of each client.
 */
export function streamEvents(
  recorder: Pick<RunRecorder, 'active' | 'read'>,
  options: {
    readonly runId: string;
    readonly after: number;
    readonly format: EventFormat;
    readonly lifetime: AbortSignal;
    /** Called once, when the stream has ended, failed or lost its client. */
    readonly onEnd?: () => void;
  },
): Response {
  const { runId, format, lifetime, onEnd = () => {} } = options;
  const leaving = new AbortController();
  const signal = AbortSignal.any([lifetime, leaving.signal]);
  const encoder = new TextEncoder();
  let after = options.after;
  // Kept after the run ends, so that its readers reach the end without the store.
  let log: EventLog | undefined;
  let isOver = false;

  function end(): void {
    if (isOver) return;
    isOver = true;
    onEnd();
  }

  async function nextOrEnd(): Promise<string | undefined> {
    try {
      const text = await next();
      if (text === undefined) end();
      return text;
    } catch (error) {
      end();
      throw error;
    }
  }

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
      if (!(await changed(log, signal))) return ': still here\n\n';
    }
  }

  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (isOver) return controller.close();
      const text = await nextOrEnd();
      if (text !== undefined) return controller.enqueue(encoder.encode(text));
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

/** Waits for the log or the signal. Returns `false` if nothing onChange until the next heartbeat. */
async function changed(log: EventLog, signal: AbortSignal): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const onChange = (): void => resolve(true);
  const heartbeat = setTimeout(resolve, heartbeatMs, false);
  const unsubscribe = log.subscribe(onChange);
  signal.addEventListener('abort', onChange);
  try {
    return await promise;
  } finally {
    clearTimeout(heartbeat);
    unsubscribe();
    signal.removeEventListener('abort', onChange);
  }
}
