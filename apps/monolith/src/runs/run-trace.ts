import type { ChainCallRecord, JsonObject } from '@ravi/kernel';
import type { RunEvent } from './run-event.ts';

/** A call of a run. A call by a script names the call that ran the script. */
export type RunCall = ChainCallRecord & { readonly parentId?: string };

type CallEvent = Omit<RunCall, 'argsDigest' | 'startedAt'> & { readonly startedAt?: number };

/**
 * Returns every call of a run in the order in which they began: the records of its result, and for calls without a record,
 * for example those by scripts, the facts from its events. A call without an end is `started` while the run is live, else
 * `unknown`.
 */
export function traceOf(
  own: readonly ChainCallRecord[],
  events: readonly RunEvent[],
  { isOver }: { readonly isOver: boolean },
): readonly RunCall[] {
  const calls = new Map<string, RunCall>();
  for (const { type, at, data } of events) {
    const { callId } = data as { readonly callId?: string };
    if (callId === undefined) continue;
    const known = calls.get(callId);
    if (type === 'tool-call') calls.set(callId, begun(data, at, isOver ? 'unknown' : 'started'));
    if (type === 'approval-decided' && known !== undefined) {
      calls.set(callId, { ...known, approval: data['approval'] as unknown as NonNullable<RunCall['approval']> });
    }
    if (type === 'tool-result') calls.set(callId, ended(data, at, known));
  }
  for (const record of own) calls.set(record.callId, { ...calls.get(record.callId), ...record });
  return [...calls.values()].toSorted((left, right) => left.startedAt - right.startedAt);
}

function begun(data: JsonObject, startedAt: number, status: RunCall['status']): RunCall {
  const { callId, tool, caller, argsPreview = '', parentId } = data as unknown as CallEvent;
  const within = parentId === undefined ? {} : { parentId };
  return { callId, tool, caller, status, startedAt, durationMs: 0, argsDigest: '', argsPreview, ...within };
}

function ended(data: JsonObject, at: number, known: RunCall | undefined): RunCall {
  const { status, durationMs, argsPreview = '', bytes, artifactRef, errorCode } = data as unknown as CallEvent;
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
