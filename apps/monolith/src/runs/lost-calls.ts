import type { RecordableEvent, RecordedEvent, RecordedEventData } from '@ravi/api';
import { mayHaveBegun } from '@ravi/kernel';
import type { CallStatus, JournaledCall } from '@ravi/kernel';
import { endedBy } from './crashed-attempts.ts';

/** Calls and steps that an earlier process of a run began. */
export interface LostCalls {
  /**
   * Takes an event of this process. Returns `false` for the end of a call or a step whose end an earlier process has stored: a
   * process that continues a run cannot know that. A call that was `cancelled` because the run paused can have another end.
   */
  take(event: RecordableEvent): boolean;
  /** True if the event is the first end of a call, a response or a step in the run. */
  isProgress(event: RecordableEvent): boolean;
  /** Adds events that the earlier process stored later. */
  learn(events: readonly RecordedEvent[]): void;
  /** True if every call that an earlier process began has an end. */
  readonly isEmpty: boolean;
  /** Returns the ids of the remaining calls that the journal does not know. */
  unjournaled(journaled: readonly JournaledCall[]): ReadonlySet<string>;
  /** Returns the ends of the remaining calls: as the journal or else the conversation has them, else with `E_CALL_UNKNOWN`. */
  ends(
    journaled: readonly JournaledCall[],
    results?: ReadonlyMap<string, { readonly isError: boolean }>,
  ): readonly RecordableEvent[];
}

/** Finds the lost calls of a run in its events. */
export function createLostCalls(events: readonly RecordedEvent[]): LostCalls {
  const open = new Map<string, RecordedEventData['tool-call']>();
  /** Status of each ended call, and `ok` for each ended step. */
  const ended = new Map<string, CallStatus>();
  /** Everything that has ended once. */
  const endedBefore = new Set<string>();

  function learn(more: readonly RecordedEvent[]): void {
    for (const { type, data } of more) {
      if (type === 'tool-call') {
        open.set(data.callId, data);
        ended.delete(callKey(data));
      }
      if (type === 'tool-result') {
        open.delete(data.callId);
        ended.set(callKey(data), data.status);
      }
      if (type === 'step-start') ended.delete(stepKey(data));
      if (type === 'step-end') ended.set(stepKey(data), 'ok');
      const name = endedBy({ ...data, type });
      if (name !== undefined) endedBefore.add(name);
    }
  }

  learn(events);
  return {
    learn,
    isProgress(event) {
      const name = endedBy(event);
      if (name === undefined || endedBefore.has(name)) return false;
      endedBefore.add(name);
      return true;
    },
    take(event) {
      const { type } = event;
      if (type === 'tool-call' || type === 'tool-result') open.delete(event.callId);
      if (type === 'tool-call') ended.delete(callKey(event));
      if (type === 'step-start') ended.delete(stepKey(event));
      if (type === 'tool-result') {
        const stored = ended.get(callKey(event));
        return stored === undefined || (stored === 'cancelled' && event.status !== 'cancelled');
      }
      return type !== 'step-end' || !ended.has(stepKey(event));
    },
    get isEmpty() {
      return open.size === 0;
    },
    unjournaled(journaled) {
      const known = new Set(journaled.map((call) => call.entry.record.callId));
      return new Set([...open.keys()].filter((callId) => !known.has(callId)));
    },
    ends(journaled, results = new Map()) {
      const records = new Map(journaled.map((call) => [call.entry.record.callId, call]));
      return [...open.values()].map((call): RecordableEvent => {
        const known = records.get(call.callId);
        const result = results.get(call.callId);
        if (known === undefined && result !== undefined) {
          return { type: 'tool-result', ...call, status: result.isError ? 'error' : 'ok', durationMs: 0 };
        }
        if (known !== undefined && !mayHaveBegun(known)) {
          return { type: 'tool-result', ...call, status: 'cancelled', durationMs: 0, errorCode: 'E_CANCELLED' };
        }
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

function callKey({ callId }: { readonly callId: string }): string {
  return `call ${callId}`;
}

function stepKey({ step }: { readonly step: number }): string {
  return `step ${step}`;
}
