import type { JournalItem, JsonValue, RunJournal } from '@ravi/kernel';
import { artifactRefs } from './run-details.ts';
import type { RunEvent } from './run-event.ts';

/** The events and model exchanges of runs, kept in their journals. */
export interface StoredEvents {
  save(runId: string, events: readonly RunEvent[]): Promise<void>;
  /** All events of a run that are stored, oldest first. */
  load(runId: string): Promise<readonly RunEvent[]>;
  /** Keeps one request and its answer under a number of its own. */
  saveExchange(runId: string, number: number, exchange: JsonValue): Promise<void>;
  exchanges(runId: string): Promise<readonly JsonValue[]>;
  /** Every artifact that the journal of a run names, in its events or elsewhere, each once. */
  artifactsOf(runId: string): Promise<readonly string[]>;
}

// Beyond every place that the script of a run, and the notes about it, can take.
const firstEvent = 2 ** 41;
const firstExchange = 2 ** 42;

/** Events in the journal of their run: what goes on with the run itself takes no notice of them. */
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
    saveExchange: (runId, number, value) =>
      journal.observed({ runId, position: firstExchange + number, kind: 'model-exchange', value }),
    exchanges: (runId) => values(runId, 'model-exchange'),
    async artifactsOf(runId) {
      const { items } = await journal.entries(runId);
      return [...new Set(items.flatMap(artifactsIn))];
    },
  };
}

function eventsIn(segment: JsonValue): readonly RunEvent[] {
  return segment as unknown as readonly RunEvent[];
}

// A process that dies at the wrong moment leaves an artifact in one of these places alone.
function artifactsIn(item: JournalItem): readonly string[] {
  if (item.type === 'call') {
    const { artifactRef, files = [] } = item.result ?? {};
    return [...(artifactRef === undefined ? [] : [artifactRef]), ...files.map((file) => file.artifactRef)];
  }
  const { kind, value } = item.event;
  if (kind === 'artifact') return [value as string];
  return kind === 'run-events' ? artifactRefs(eventsIn(value)) : [];
}
