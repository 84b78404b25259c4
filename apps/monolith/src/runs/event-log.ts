import type { Clock, JsonObject } from '@ravi/kernel';
import type { RunEvent, RunEventType } from './run-event.ts';

/** The newest events of one run, in memory. Readers keep their own place in it, so a slow one holds up nobody. */
export interface EventLog {
  /** Sequence of the last event; 0 when there is none. */
  readonly last: number;
  /** No further event comes. */
  readonly isClosed: boolean;
  append(type: RunEventType, data: JsonObject): void;
  /** Events after `sequence`, oldest first; `undefined` when some of them are not in memory any more. */
  after(sequence: number): readonly RunEvent[] | undefined;
  /** Calls `wake` at each event and at the end of the log, until the returned function is called. */
  listen(wake: () => void): () => void;
  /** Takes what was appended since the last time, to be stored. */
  takeUnsaved(): readonly RunEvent[];
  close(): void;
}

/** Options of {@link createEventLog}. */
export interface EventLogOptions {
  readonly clock: Clock;
  /** What is kept of the data of an event. */
  readonly redact: (data: JsonObject) => JsonObject;
  /** Sequence of the last event that an earlier process has stored. */
  readonly from: number;
  /** Told after each append, with how many events are not stored yet. */
  readonly onAppend: (type: RunEventType, unsaved: number) => void;
}

const maxEvents = 2_000;

/** A log that holds the last 2 000 events. */
export function createEventLog({ clock, from, redact, onAppend }: EventLogOptions): EventLog {
  let events: RunEvent[] = [];
  let unsaved: RunEvent[] = [];
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
    append(type, data) {
      const event = { sequence: ++last, at: clock.now(), type, data: redact(data) };
      events.push(event);
      unsaved.push(event);
      // In one go now and then, because taking one from the front moves all others.
      if (events.length >= 2 * maxEvents) events = events.slice(-maxEvents);
      onAppend(type, unsaved.length);
      wakeAll();
    },
    after(sequence) {
      const first = last - events.length + 1;
      return sequence + 1 < first ? undefined : events.slice(sequence + 1 - first);
    },
    listen(wake) {
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
