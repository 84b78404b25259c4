import type { RecordedEvent } from '@ravi/api';
import type { NewRunEvent, RunEventId } from '@ravi/kernel';

/** Place of a reader in the events of a run. */
export interface EventPosition {
  /** Id of the last stored event that the reader has; absent at the beginning. */
  readonly id?: string | undefined;
  /** Number of events for display that it has since then. */
  readonly part: number;
}

/** The newest events of a run in memory, as readers receive them. */
export interface ShownEvents {
  /** Adds an event; without an id it is one for display. */
  add(event: Omit<NewRunEvent, 'n'>, id: string | undefined): void;
  /** Makes the list follow another event than `base`, unless it has events. */
  follow(id: string): void;
  /** Returns the events after a position, oldest first; `undefined` if its event is not in memory. */
  after(position: EventPosition): readonly RecordedEvent[] | undefined;
}

const maxEvents = 2_000;

/** Creates an empty list that follows the event `base`, or that starts at the beginning of the run. */
export function createShownEvents(base: string | undefined): ShownEvents {
  let first = base;
  let events: RecordedEvent[] = [];
  let part = 0;

  // Events for display are not needed once the event that replaces them is stored.
  function compact({ type, data }: RecordedEvent): void {
    if (type === 'model-text' || type === 'model-retry') {
      events = events.filter((event) => event.type !== 'model-delta' && event.type !== 'reasoning-delta');
    }
    if (type === 'tool-result') {
      events = events.filter((event) => event.type !== 'tool-progress' || event.data.callId !== data.callId);
    }
  }

  return {
    add({ type, at, data }, id) {
      part = id === undefined ? part + 1 : 0;
      const place = id === undefined ? { provisional: true, part } : { id };
      const event = { ...place, type, at, data } as unknown as RecordedEvent;
      if (part === 0) compact(event);
      events.push(event);
      // Trimmed in batches, because removing the first event moves all others.
      if (events.length < 2 * maxEvents) return;
      first = events.slice(0, -maxEvents).findLast((each) => each.id !== undefined)?.id ?? first;
      events = events.slice(-maxEvents);
    },
    follow(id) {
      if (events.length === 0) first = id;
    },
    after(position) {
      const isAtStart = position.id === first;
      if (!isAtStart && position.id === undefined) return undefined;
      const index = isAtStart ? -1 : events.findLastIndex(({ id }) => id === position.id);
      if (index < 0 && !isAtStart) return undefined;
      const later = events.slice(index + 1);
      const next = later.findIndex(({ id, part: number = 0 }) => id !== undefined || number > position.part);
      return next < 0 ? [] : later.slice(next);
    },
  };
}

/** Returns the id of an event as readers see it. */
export function formatEventId({ epoch, n }: RunEventId): string {
  return `${epoch}.${n}`;
}

/** Returns the place that an id names. The id has the form of {@link formatEventId}. */
export function parseEventId(id: string): RunEventId {
  const [epoch = 0, n = 0] = id.split('.').map(Number);
  return { epoch, n };
}
