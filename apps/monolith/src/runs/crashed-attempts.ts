import type { RecordedEvent } from '@ravi/api';
import { parseEventId } from './shown-events.ts';

/** Crashes of a run in a row without progress, up to its newest attempt. */
export interface FruitlessCrashes {
  readonly total: number;
  /** Those of attempts for which the run was resumed apart from others that may be the cause. */
  readonly alone: number;
}

/** Events of a run, and those of its sub-agents. */
export interface EventsOfTree {
  readonly events: readonly RecordedEvent[];
  readonly below: readonly EventsOfTree[];
}

/** True for an event type that is the last one of an attempt whose process did not crash. */
const orderlyEnds: ReadonlySet<string> = new Set(['run-end', 'run-paused', 'run-suspended']);

/**
 * Counts the crashes of a run in a row that had no progress before them. An attempt has crashed if its process did not record that
 * the run ended, paused or was left to another process. Call it for a run whose newest attempt is over.
 */
export function countFruitlessCrashes(tree: EventsOfTree): FruitlessCrashes {
  const progress = epochsWithProgress(tree);
  let total = 0;
  let alone = 0;
  for (const [epoch, events] of byEpoch(tree.events)) {
    const isFruitless = !progress.has(epoch) && !orderlyEnds.has(events.at(-1)?.type ?? '');
    total = isFruitless ? total + 1 : 0;
    if (!isFruitless) alone = 0;
    else if (wasAlone(events)) alone += 1;
  }
  return { total, alone };
}

/**
 * Returns the name of what an event ends: a call, a response of the model or a step. The first such event of a run is progress; a
 * call that is made again after each crash has none. `undefined` for other events, and for a call whose end recovery only assumes
 * (`E_CALL_UNKNOWN`).
 */
export function endedBy(event: {
  readonly type: string;
  readonly callId?: string | undefined;
  readonly step?: number | undefined;
  readonly stopReason?: string | undefined;
  readonly errorCode?: string | undefined;
}): string | undefined {
  const { type, callId, step, stopReason, errorCode } = event;
  if (type === 'tool-result') return errorCode === 'E_CALL_UNKNOWN' ? undefined : `call ${callId}`;
  if (type === 'step-end') return `step ${step}`;
  return type === 'model-end' && stopReason !== undefined ? `response ${step}` : undefined;
}

function wasAlone(events: readonly RecordedEvent[]): boolean {
  if (events.some(({ type }) => type === 'run-accompanied')) return false;
  return events.some(({ type, data }) => type === 'run-start' && data.isAlone === true);
}

/** Returns the epochs of a run in which it, or a sub-agent that it had started or resumed in them, made progress. */
function epochsWithProgress({ events, below }: EventsOfTree): ReadonlySet<number> {
  const found = new Set<number>();
  const ended = new Set<string>();
  for (const { id = '', type, data } of events) {
    const name = endedBy({ ...data, type });
    if (name === undefined || ended.has(name)) continue;
    ended.add(name);
    found.add(parseEventId(id).epoch);
  }
  // By epochs, not by times, because clocks differ and can be set.
  for (const child of below) {
    const starts = child.events.filter((event) => event.type === 'run-start');
    const progress = epochsWithProgress(child);
    for (const { id = '', data } of starts) {
      if (data.aboveEpoch !== undefined && progress.has(parseEventId(id).epoch)) found.add(data.aboveEpoch);
    }
  }
  return found;
}

function byEpoch(events: readonly RecordedEvent[]): ReadonlyMap<number, readonly RecordedEvent[]> {
  return Map.groupBy(events, ({ id = '' }) => parseEventId(id).epoch);
}
