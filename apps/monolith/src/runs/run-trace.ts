import type { RecordedEventData } from '@ravi/api';
import type { ChainCallRecord, JournaledCall } from '@ravi/kernel';
import type { RunRecord, SubAgentRecord } from './stored-events.ts';

/**
 * A call of a run. A call by a script or a sub-agent names the call that ran it. `runId` is the run of the sub-agent, and
 * `parentRunId` the run of the call that ran it. `childRunId` is the run of the script or sub-agent that works for the call.
 */
export type RunCall = ChainCallRecord & {
  readonly parentId?: string;
  readonly runId?: string;
  readonly parentRunId?: string;
  readonly childRunId?: string;
};

/**
 * Returns every call of a run and of its sub-agents in the order in which they began: those of its events, and those of its journal,
 * whose record counts for a call that both have. A call without an end is `started` while the process that began it may still run it, else
 * `unknown`.
 */
export function traceOf(
  { events, calls: journaled, childRuns, subAgents }: RunRecord,
  { isOver }: { readonly isOver: boolean },
): readonly RunCall[] {
  const calls = new Map<string, RunCall>();
  for (const { type, at, data } of events) {
    if (type === 'run-start') abandon(calls);
    if (type === 'tool-call') calls.set(data.callId, begun(data, at, 'started'));
    if (type === 'tool-result') calls.set(data.callId, ended(data, at, calls.get(data.callId)));
    if (type !== 'approval-decided' || data.callId === undefined || data.elicitation !== undefined) continue;
    const known = calls.get(data.callId);
    if (known !== undefined) calls.set(data.callId, { ...known, approval: data.approval });
  }
  if (isOver) abandon(calls);
  for (const call of journaled) {
    const { callId } = call.entry.record;
    calls.set(callId, withRecord(call, calls.get(callId), isOver));
  }
  for (const [callId, call] of calls) {
    const childRunId = childRuns.get(callId);
    calls.set(callId, { ...withParent(call, calls), ...(childRunId === undefined ? {} : { childRunId }) });
  }
  // Not by the id of the call: models of two agents may choose the same one.
  const below = subAgents.flatMap(traceOfSubAgent);
  return [...calls.values(), ...below].toSorted((left, right) => left.startedAt - right.startedAt);
}

function traceOfSubAgent({ run, ...record }: SubAgentRecord): readonly RunCall[] {
  const { callId } = run.definition.details ?? {};
  const above = run.parentRunId === undefined ? {} : { parentRunId: run.parentRunId };
  const within = typeof callId === 'string' ? { parentId: callId, ...above } : {};
  return traceOf(record, { isOver: run.outcome !== undefined }).map((call) => {
    if (call.runId !== undefined) return call;
    return { ...call, runId: run.id, ...(call.caller === 'chain' ? {} : within) };
  });
}

// The process that began these calls has ended.
function abandon(calls: Map<string, RunCall>): void {
  for (const [callId, call] of calls) if (call.status === 'started') calls.set(callId, { ...call, status: 'unknown' });
}

// `started` of a call whose process was killed before its first event was stored.
function withRecord({ status, entry }: JournaledCall, known: RunCall | undefined, isOver: boolean): RunCall {
  const open = known?.status ?? (isOver ? 'unknown' : 'started');
  return { ...known, ...entry.record, status: status === 'finished' ? entry.record.status : open };
}

// A journal does not say which call ran a script, but the ids of its calls begin with the id of that call.
function withParent(call: RunCall, calls: ReadonlyMap<string, RunCall>): RunCall {
  if (call.parentId !== undefined || call.caller !== 'chain') return call;
  for (let end = call.callId.lastIndexOf('.'); end > 0; end = call.callId.lastIndexOf('.', end - 1)) {
    const parentId = call.callId.slice(0, end);
    if (calls.has(parentId)) return { ...call, parentId };
  }
  return call;
}

function begun(data: RecordedEventData['tool-call'], startedAt: number, status: RunCall['status']): RunCall {
  const { callId, tool, caller, argsPreview, parentId } = data;
  const within = parentId === undefined ? {} : { parentId };
  return { callId, tool, caller, status, startedAt, durationMs: 0, argsDigest: '', argsPreview, ...within };
}

function ended(data: RecordedEventData['tool-result'], at: number, known: RunCall | undefined): RunCall {
  const { status, durationMs, argsPreview, bytes, artifactRef, errorCode, attempts } = data;
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
    ...(attempts === undefined ? {} : { attempts }),
  };
}
