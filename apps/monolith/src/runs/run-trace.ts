import type { RecordedEvent, RecordedEventData } from '@ravi/api';
import type { ChainCallRecord } from '@ravi/kernel';

/** A call of a run. A call by a script names the call that ran the script. */
export type RunCall = ChainCallRecord & { readonly parentId?: string };

/**
 * Returns every call of a run in the order in which they began: the records of its result, and for calls without a record,
 * for example those by scripts, the facts from its events. A call without an end is `started` while the run is live, else
 * `unknown`.
 */
export function traceOf(
  own: readonly ChainCallRecord[],
  events: readonly RecordedEvent[],
  { isOver }: { readonly isOver: boolean },
): readonly RunCall[] {
  const calls = new Map<string, RunCall>();
  for (const { type, at, data } of events) {
    if (type === 'tool-call') calls.set(data.callId, begun(data, at, isOver ? 'unknown' : 'started'));
    if (type === 'tool-result') calls.set(data.callId, ended(data, at, calls.get(data.callId)));
    if (type !== 'approval-decided' || data.callId === undefined) continue;
    const known = calls.get(data.callId);
    if (known !== undefined) calls.set(data.callId, { ...known, approval: data.approval });
  }
  for (const record of own) calls.set(record.callId, { ...calls.get(record.callId), ...record });
  return [...calls.values()].toSorted((left, right) => left.startedAt - right.startedAt);
}

function begun(data: RecordedEventData['tool-call'], startedAt: number, status: RunCall['status']): RunCall {
  const { callId, tool, caller, argsPreview, parentId } = data;
  const within = parentId === undefined ? {} : { parentId };
  return { callId, tool, caller, status, startedAt, durationMs: 0, argsDigest: '', argsPreview, ...within };
}

function ended(data: RecordedEventData['tool-result'], at: number, known: RunCall | undefined): RunCall {
  const { status, durationMs, argsPreview, bytes, artifactRef, errorCode } = data;
  const { approval, ...call } = known ?? begun(data, at - durationMs, status);
  return {
    ...call,
    status,
    durationMs,
    argsPreview,
    ...(approval === undefined ? {} : { approval }),
    ...(bytes === undefined ? {} : { bytes }),
    ...(artifactRef === undefined ? {} : { artifactRef }),
    ...(errorCode === undefined ? {} : { errorCode }),
  };
}
