import { addressOf } from './request.ts';

/** Options of {@link followEvents}. */
export interface EventsOptions {
  /** Sequence number of the last event that is already known. */
  readonly after?: number;
  /** Listeners by event name; each receives the data of the event. */
  readonly on: Readonly<Record<string, (data: unknown) => void>>;
  readonly onOpen?: () => void;
  /** Called when the connection is lost; it reconnects automatically. */
  readonly onLost?: () => void;
}

/** A stream of events. */
export interface EventStream {
  /** Reconnects now instead of later. */
  hurry(): void;
  close(): void;
}

const firstPauseMs = 1_000;
const longestPauseMs = 8_000;

/**
 * Follows events of the API and reconnects after the last event whenever the stream ends. A browser alone gives up for
 * good once a server that is shutting down refuses it.
 */
export function followEvents(path: string, { after = 0, on, onOpen, onLost }: EventsOptions): EventStream {
  let last = String(after);
  let pauseMs = firstPauseMs;
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function open(): void {
    clearTimeout(timer);
    timer = undefined;
    const opened = new EventSource(addressOf(`${path}?${new URLSearchParams({ after: last })}`));
    source = opened;
    opened.addEventListener('open', () => onOpen?.());
    opened.addEventListener('error', () => {
      opened.close();
      // Before listeners are notified, so that a listener may close the stream for good.
      timer = setTimeout(open, pauseMs);
      pauseMs = Math.min(2 * pauseMs, longestPauseMs);
      onLost?.();
    });
    for (const [name, tell] of Object.entries(on)) {
      opened.addEventListener(name, (event: MessageEvent<string>) => {
        last = event.lastEventId === '' ? last : event.lastEventId;
        pauseMs = firstPauseMs;
        tell(JSON.parse(event.data));
      });
    }
  }

  open();
  return {
    hurry() {
      if (timer !== undefined) open();
    },
    close() {
      clearTimeout(timer);
      timer = undefined;
      source?.close();
    },
  };
}
