import type { StreamEvent } from '@ravi/api';
import { RaviApiError } from './api-error.ts';
import { readEvents } from './read-events.ts';

/** Pauses before a stream is opened again. */
export interface Reconnect {
  /** The first pause, which doubles until an event arrives. Default 500. */
  readonly minDelayMs?: number;
  /** Default 8 000. */
  readonly maxDelayMs?: number;
  /** Failed attempts in a row after which the stream throws. Default 10. */
  readonly maxFailures?: number;
  /** True to try again also when the first connection fails. Default false: the stream throws. */
  readonly retriesFirst?: boolean;
}

/** Options of {@link followEvents}. */
export interface FollowOptions {
  /** Opens the stream after an event. */
  readonly open: (lastEventId: string | undefined) => Promise<Response>;
  /** Id of the last known event. */
  readonly after?: string | number | undefined;
  /** Type of the last event of the stream; absent for a stream without an end. */
  readonly endEvent?: string | undefined;
  /** Returns true if no further event can come; asked when a connection ended without an event. */
  readonly isOver: () => Promise<boolean>;
  /** `false` ends the stream with its connection. */
  readonly reconnect?: Reconnect | false | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onConnection?: ((state: 'open' | 'lost') => void) | undefined;
}

/**
 * Yields the events of a stream and opens it again, after the last event, whenever its connection ends. It ends after
 * the end event. @throws RaviApiError when the stream cannot be opened the first time, is refused for good, or failed
 * too often in a row; the reason of `signal` when that aborts
 */
export async function* followEvents<Event extends StreamEvent>(options: FollowOptions): AsyncGenerator<Event> {
  const { open, endEvent, isOver, signal, onConnection } = options;
  const { minDelayMs = 500, maxDelayMs = 8_000, maxFailures = 10, retriesFirst = false } = options.reconnect || {};
  let last = options.after === undefined ? undefined : String(options.after);
  let delayMs = minDelayMs;
  let failures = 0;
  let mayRetry = retriesFirst;
  // Events for display since the last event with an id. The server sends them again after a reconnection.
  let parts = 0;

  for (;;) {
    let hasEvents = false;
    let waitMs = 0;
    try {
      const { body } = await open(last);
      mayRetry = true;
      failures = 0;
      onConnection?.('open');
      for await (const { id, type, data } of body === null ? [] : readEvents(body)) {
        hasEvents = true;
        const event = JSON.parse(data) as { readonly part?: number };
        if (id !== '') [last, parts] = [id, 0];
        if (event.part !== undefined && event.part <= parts) continue;
        parts = event.part ?? parts;
        yield { ...event, type, ...placeOf(id) } as unknown as Event;
        if (type === endEvent) return;
      }
      if (options.reconnect === false) return;
      if (!hasEvents && endEvent !== undefined && (await isOver())) return;
    } catch (error) {
      signal?.throwIfAborted();
      // A connection that breaks off is not a RaviApiError, and is opened again like one that was refused for now.
      const isFinal = error instanceof RaviApiError ? !error.isTemporary : !isConnectionError(error);
      if (!mayRetry || isFinal || options.reconnect === false || ++failures > maxFailures) throw error;
      waitMs = error instanceof RaviApiError ? (error.retryAfterMs ?? 0) : 0;
    }
    onConnection?.('lost');
    if (hasEvents) delayMs = minDelayMs;
    await delay(Math.max(waitMs, delayMs), signal);
    delayMs = Math.min(2 * delayMs, maxDelayMs);
  }
}

// Approvals are numbered as one stream; the ids of a run's events have two parts.
function placeOf(id: string): Pick<StreamEvent, 'id' | 'sequence'> {
  if (id === '') return {};
  return /^\d+$/.test(id) ? { sequence: Number(id) } : { id };
}

// Platforms throw a TypeError when a body breaks off.
function isConnectionError(error: unknown): boolean {
  return error instanceof TypeError;
}

async function delay(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, delayMs);
  const onAbort = (): void => reject(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}
