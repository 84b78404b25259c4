import type { RecordedEvent } from '@ravi/api';
import type { JournalItem, JsonValue, RunJournal } from '@ravi/kernel';
import { artifactRefs } from './run-details.ts';

/** Events of runs, stored in their journals. */
export interface StoredEvents {
  save(runId: string, events: readonly RecordedEvent[]): Promise<void>;
  /** Loads all stored events of a run, oldest first. */
  load(runId: string): Promise<readonly RecordedEvent[]>;
  /** Returns every artifact that the journal of a run names, each once. */
  artifactsOf(runId: string): Promise<readonly string[]>;
}

// Above every position that a script and the notes about its calls can reach.
const firstEvent = 2 ** 41;

/** Creates a store of events in the journals of their runs. Recovery of a run ignores these entries. */
export function createStoredEvents(journal: RunJournal): StoredEvents {
  async function values(runId: string, kind: string): Promise<readonly JsonValue[]> {
    const { items } = await journal.entries(runId);
    return items
      .flatMap((item) => (item.type === 'event' && item.event.kind === kind ? [item.event] : []))
      .toSorted((left, right) => left.position - right.position)
      .map(({ value }) => value);
  }

  return {
    async save(runId, events) {
      const [first] = events;
      if (first === undefined) return;
      const position = firstEvent + first.sequence;
      await journal.observed({ runId, position, kind: 'run-events', value: events as unknown as JsonValue });
    },
    async load(runId) {
      return (await values(runId, 'run-events')).flatMap(eventsIn);
    },
    async artifactsOf(runId) {
      const { items } = await journal.entries(runId);
      return [...new Set(items.flatMap(artifactsIn))];
    },
  };
}

function eventsIn(segment: JsonValue): readonly RecordedEvent[] {
  return segment as unknown as readonly RecordedEvent[];
}

// A process that dies may leave an artifact in only one of these places.
function artifactsIn(item: JournalItem): readonly string[] {
  if (item.type === 'call') {
    const { artifactRef, files = [] } = item.result ?? {};
    return [...(artifactRef === undefined ? [] : [artifactRef]), ...files.map((file) => file.artifactRef)];
  }
  const { kind, value } = item.event;
  if (kind === 'artifact') return [value as string];
  return kind === 'run-events' ? artifactRefs(eventsIn(value)) : [];
}
