import type { RecordedEvent, RunDetails } from '@ravi/api';
import { parseEventId } from './shown-events.ts';

/** One process's share of a run. */
export type RunAttempt = RunDetails['attempts'][number];

const ends: Readonly<Partial<Record<RecordedEvent['type'], RunAttempt['end']>>> = {
  'run-end': 'ended',
  'run-paused': 'paused',
  'run-suspended': 'suspended',
};

/**
 * Returns the attempts of a run, oldest first: each process that ran it wrote events of its own epoch. An attempt without a
 * last event crashed, unless it is the last one of a live run; it lasted at least until its last event.
 */
export function attemptsOf(
  events: readonly RecordedEvent[],
  { isOver }: { readonly isOver: boolean },
): readonly RunAttempt[] {
  const byEpoch = Map.groupBy(events, ({ id = '' }) => parseEventId(id).epoch);
  const newest = Math.max(...byEpoch.keys());
  return [...byEpoch].flatMap(([epoch, own]) => {
    const [first, last] = [own[0], own.at(-1)];
    if (first === undefined || last === undefined) return [];
    const isLive = epoch === newest && !isOver;
    const end = ends[last.type] ?? (isLive ? undefined : 'crashed');
    return [{ epoch, startedAt: first.at, ...(end === undefined ? {} : { endedAt: last.at, end }) }];
  });
}
