import { addressOf } from './request.ts';

/** Options of {@link followEvents}. */
export interface EventsOptions {
  /** Of the last event that is known already. */
  readonly after?: number;
  /** By name of the event; gets what the event carries. */
  readonly on: Readonly<Record<string, (data: unknown) => void>>;
  readonly onOpen?: () => void;
  /** It will be tried again. */
  readonly onLost?: () => void;
}

/** A stream that is being followed. */
export interface EventStream {
  /** Tries at once what would be tried later. */
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
