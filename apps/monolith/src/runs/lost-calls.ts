import type { RecordableEvent, RecordedEvent, RecordedEventData } from '@ravi/api';
import type { JournaledCall } from '@ravi/kernel';

/** Calls that an earlier process of a run began, and of whose end it stored no event. */
export interface LostCalls {
  /** Removes a call that begins again or ends in this process. */
  remove(callId: string): void;
  readonly isEmpty: boolean;
  /** Returns the ends of the remaining calls: as the journal has them, else with `E_CALL_UNKNOWN`. */
  ends(journaled: readonly JournaledCall[]): readonly RecordableEvent[];
}

/** Finds the lost calls of a run in its events. */
export function createLostCalls(events: readonly RecordedEvent[]): LostCalls {
  const open = new Map<string, RecordedEventData['tool-call']>();
  for (const { type, data } of events) {
    if (type === 'tool-call') open.set(data.callId, data);
    if (type === 'tool-result') open.delete(data.callId);
  }
  return {
    remove: (callId) => void open.delete(callId),
    get isEmpty() {
      return open.size === 0;
    },
    ends(journaled) {
      const records = new Map(journaled.map((call) => [call.entry.record.callId, call]));
      return [...open.values()].map((call): RecordableEvent => {
        const known = records.get(call.callId);
        const {
          status = 'unknown',
          durationMs = 0,
          errorCode,
        } = known?.status === 'finished' ? known.entry.record : {};
        if (status === 'unknown' || status === 'started') {
          return { type: 'tool-result', ...call, status: 'error', durationMs, errorCode: 'E_CALL_UNKNOWN' };
        }
        return { type: 'tool-result', ...call, status, durationMs, ...(errorCode === undefined ? {} : { errorCode }) };
      });
    },
  };
}
