import type { JournaledCall, JournaledEvent, JournalEvent, JournalItem, JsonValue } from '@ravi/kernel';

/** Where the notes of a run begin, which the script knows nothing of: beyond every call that it could make. */
export const firstNote: number = 2 ** 40;

/** Kinds of what a journal holds beside calls. */
export type RecordedKind = 'seed' | 'sleep' | 'answer' | 'artifact' | 'result';

/** What a script was told at a place, other than the end of a call. */
export type RecordedEvent = Pick<JournalEvent, 'kind' | 'value'>;

/** What is on record of a run. */
export interface RecordedRun {
  /** By the place in which the script asked for it. */
  readonly calls: ReadonlyMap<number, JournaledCall>;
  readonly events: ReadonlyMap<number, RecordedEvent>;
  /** The places of what the script was told, in that order. */
  readonly order: readonly number[];
  readonly artifacts: readonly string[];
  /** What the script came to, when it ended and its end was not put on record of the run any more. */
  readonly result?: JsonValue;
  /** How many notes there are. */
  readonly notes: number;
}

/** Reads the journal of a run. */
export function readRecordedRun(items: readonly JournalItem[]): RecordedRun {
  const calls = new Map<number, JournaledCall>();
  const events = new Map<number, RecordedEvent>();
  const ends: { readonly place: number; readonly order: number }[] = [];
  const artifacts: string[] = [];
  let result: JsonValue | undefined;
  let notes = 0;
  for (const item of items) {
    if (item.type === 'call') {
      const { position } = item.entry;
      if (position === undefined) continue;
      calls.set(position, item);
      if (item.finishedOrder !== undefined) ends.push({ place: position, order: item.finishedOrder });
      continue;
    }
    const { kind, position, value } = item.event;
    if (position >= firstNote) notes++;
    if (kind === 'artifact') artifacts.push(value as string);
    if (kind === 'result') result = value;
    if (position < firstNote) events.set(position, { kind, value });
    if (kind === 'sleep') ends.push(endOfSleep(item));
  }
  const order = ends.toSorted((left, right) => left.order - right.order).map(({ place }) => place);
  return { calls, events, order, artifacts, notes, ...(result === undefined ? {} : { result }) };
}

function endOfSleep({ event, finishedOrder }: JournaledEvent): { readonly place: number; readonly order: number } {
  return { place: event.position, order: finishedOrder };
}
