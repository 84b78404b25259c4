import type { JsonValue, RunJournal } from '@ravi/kernel';
import type { RunEvent } from './run-event.ts';

/** The events and model exchanges of runs, kept in their journals. */
export interface StoredEvents {
  save(runId: string, events: readonly RunEvent[]): Promise<void>;
  /** All events of a run that are stored, oldest first. */
  load(runId: string): Promise<readonly RunEvent[]>;
  /** Keeps one request and its answer under a number of its own. */
  saveExchange(runId: string, number: number, exchange: JsonValue): Promise<void>;
  exchanges(runId: string): Promise<readonly JsonValue[]>;
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
      return (await values(runId, 'run-events')).flatMap((segment) => segment as unknown as RunEvent[]);
    },
    saveExchange: (runId, number, value) =>
      journal.observed({ runId, position: firstExchange + number, kind: 'model-exchange', value }),
    exchanges: (runId) => values(runId, 'model-exchange'),
  };
}
