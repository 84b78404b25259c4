import type { RecordableEvent, RecordedEvent, RecordedEventType } from '@ravi/api';
import type { Clock, JsonObject } from '@ravi/kernel';

/** Newest events of one run, in memory. Each reader keeps its own position, so a slow one delays no other. */
export interface EventLog {
  /** Sequence of the last event; 0 if there is none. */
  readonly last: number;
  /** True if no further event follows. */
  readonly isClosed: boolean;
  append(event: RecordableEvent): void;
  /** Returns the events after `sequence`, oldest first; `undefined` if some of them are no longer in memory. */
  after(sequence: number): readonly RecordedEvent[] | undefined;
  /** Calls `wake` at each event and when the log closes, until the returned function is called. */
  subscribe(wake: () => void): () => void;
  /** Returns the events appended since the last call, to be stored. */
  takeUnsaved(): readonly RecordedEvent[];
  close(): void;
}

/** Options of {@link createEventLog}. */
export interface EventLogOptions {
  readonly clock: Clock;
  /** Redacts the data of an event. */
  readonly redact: (data: JsonObject) => JsonObject;
  /** Sequence of the last event that an earlier process has stored. */
  readonly from: number;
  /** Called after each append with the number of events that are not stored yet. */
  readonly onAppend: (type: RecordedEventType, unsaved: number) => void;
}

const maxEvents = 2_000;

/** Creates a log of the last 2 000 events. */
export function createEventLog({ clock, from, redact, onAppend }: EventLogOptions): EventLog {
  let events: RecordedEvent[] = [];
  let unsaved: RecordedEvent[] = [];
  let last = from;
  let isClosed = false;
  const listeners = new Set<() => void>();

  function wakeAll(): void {
    for (const wake of listeners) wake();
  }

  return {
    get last() {
      return last;
    },
    get isClosed() {
      return isClosed;
    },
    append({ type, runId: _run, sessionId: _session, ...data }) {
      const shown = redact(data as unknown as JsonObject);
      const event = { sequence: ++last, at: clock.now(), type, data: shown } as unknown as RecordedEvent;
      events.push(event);
      unsaved.push(event);
      // Trimmed in batches, because removing the first event moves all others.
      if (events.length >= 2 * maxEvents) events = events.slice(-maxEvents);
      onAppend(type, unsaved.length);
      wakeAll();
    },
    after(sequence) {
      const first = last - events.length + 1;
      return sequence + 1 < first ? undefined : events.slice(sequence + 1 - first);
    },
    subscribe(wake) {
      listeners.add(wake);
      return () => void listeners.delete(wake);
    },
    takeUnsaved() {
      const taken = unsaved;
      unsaved = [];
      return taken;
    },
    close() {
      isClosed = true;
      wakeAll();
    },
  };
}
