import { api } from '@ravi/api';
import type { StreamEvent } from '@ravi/api';
import { createClient } from '@ravi/client';
import type { Client, StreamOptions } from '@ravi/client';

/** Base path of the console, without a trailing slash; the server writes it into the document. */
export const basePath: string = new URL(document.baseURI).pathname.replace(/\/[^/]*$/, '');

/** Address of the API; the server writes it into the document. */
export const serverUrl: string = document.querySelector<HTMLMetaElement>('meta[name="ravi-server"]')?.content ?? '';

/** Client of the server; it sends the cookie of the sign-in. Its streams reconnect until they are closed. */
export const ravi: Client = createClient({
  baseUrl: serverUrl,
  credentials: 'include',
  reconnect: { minDelayMs: 1_000, maxFailures: Number.POSITIVE_INFINITY, retriesFirst: true },
});

/** Returns the address of an artifact's content, for images and downloads that the browser loads itself. */
export function contentAddress(ref: string): string {
  return `${serverUrl}${api.artifacts.content.path.replace('{ref}', encodeURIComponent(ref))}`;
}

/** An open stream of events. */
export interface EventStream {
  /** Reconnects now if the connection is lost. */
  checkNow(): void;
  close(): void;
}

/** Options of {@link followEvents}. */
export interface FollowOptions<Event> {
  /** Opens the stream. */
  readonly open: (options: StreamOptions) => AsyncIterable<Event>;
  /** Id of the last known event. */
  readonly after?: string | number;
  readonly onEvent: (event: Event) => void;
  readonly onConnection?: (state: 'open' | 'lost') => void;
}

/** Passes the events of a stream to a listener until the stream ends, is refused or is closed. */
export function followEvents<Event extends StreamEvent>(options: FollowOptions<Event>): EventStream {
  const { open, onEvent, onConnection } = options;
  let { after } = options;
  let state: 'open' | 'lost' | 'over' = 'open';
  let reading = new AbortController();

  function onChange(next: 'open' | 'lost'): void {
    state = next;
    onConnection?.(next);
  }

  async function read({ signal }: AbortController): Promise<void> {
    // React may close a stream in the tick in which it opened it: no request is sent then.
    await Promise.resolve();
    if (signal.aborted) return;
    try {
      const events = open({ signal, onConnection: onChange, ...(after === undefined ? {} : { after }) });
      for await (const event of events) {
        after = event.id ?? event.sequence ?? after;
        onEvent(event);
      }
    } catch {
      if (signal.aborted) return;
      // Refused for good, for example after a sign-out; the requests of the page show why.
      onChange('lost');
    }
    state = 'over';
  }

  void read(reading);
  return {
    checkNow() {
      if (state !== 'lost') return;
      reading.abort();
      reading = new AbortController();
      void read(reading);
    },
    close: () => reading.abort(),
  };
}
