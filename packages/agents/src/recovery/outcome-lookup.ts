import { errorResult } from '@ravi/invoker/internal';
import { isCallWithin, KernelError, mayHaveBegun } from '@ravi/kernel';
import type { Approval, InvocationResult, JournaledCall, JournalItem, Listing, ToolUseBlock } from '@ravi/kernel';
import { callOf } from './child-runs.ts';
import type { ChildRuns } from './child-runs.ts';
import { completionOf } from '../loop/run-journal.ts';
import { neverStarted } from './run-approvals.ts';

/** Facts about an interrupted run apart from its journal. */
export interface InterruptedRun {
  /**
   * Runs below it. A script or a sub-agent continues where it stopped when its call is made again. The calls of those that
   * cannot continue are recorded under their own runs, so their calls are not made again.
   */
  readonly children: ChildRuns;
  /** Approvals that the run requested, oldest first. */
  readonly approvals: readonly Approval[];
  /** True for a tool whose calls may be made again although they began: idempotent, or able to find out whether they took effect. */
  canRepeat(tool: string): boolean;
}

/**
 * Returns a function that finds the outcome of a call whose process ended, in the journal of its run: the recorded
 * outcome; `E_CALL_UNKNOWN` if the call, or another one inside it, began and has no outcome; `undefined` if the call can be
 * made again because nothing with side effects has begun in it, its tool is idempotent or can reconcile, or it waits for a result from outside. The text of `E_CALL_UNKNOWN` names
 * each call inside it that is recorded, and each that needed approval and never started.
 * @throws KernelError `E_STATE_CORRUPT` if the journal is damaged
 */
export function createOutcomeLookup(
  runId: string,
  { items, corrupt }: Listing<JournalItem>,
  { children: { byCall, lost }, approvals, canRepeat }: InterruptedRun,
): (call: ToolUseBlock) => InvocationResult | undefined {
  const [damage] = corrupt;
  if (damage !== undefined) {
    throw new KernelError('E_STATE_CORRUPT', "The recorded results of this run's calls are corrupt", { cause: damage });
  }
  const calls = items.filter((item) => item.type === 'call').filter(mayHaveBegun);
  const lostCalls = lost.map(callOf);
  const mayBeLost = (id: string): boolean =>
    lostCalls.some((callId) => callId === undefined || isCallWithin(callId, { id }));
  return ({ id, name }) => {
    const own = calls.find(({ entry }) => entry.idempotencyKey === `${runId}:${id}`);
    if (own !== undefined && hasOutcome(own)) return own.result;
    // Its tool does not run again, and neither do the calls inside it.
    if (own?.status === 'started' && completionOf(id, approvals) !== undefined) return undefined;
    const inner = calls.filter((item) => item !== own && isCallWithin(item.entry.record.callId, { id }));
    if (own?.status === 'started' && inner.length === 0 && canRepeat(name)) return undefined;
    // A call that needed approval is recorded before it starts, so this one never started.
    const hasAsked = approvals.some(({ request }) => request.callId === id);
    const canBegin = hasAsked || byCall.has(id) || !mayBeLost(id);
    if (own === undefined && inner.length === 0 && canBegin) return undefined;
    const recorded = new Set([own, ...inner].map((item) => item?.entry.record.callId));
    const waiting = approvals.filter(
      ({ request: { callId } }) => isCallWithin(callId, { id }) && !recorded.has(callId),
    );
    return errorResult('E_CALL_UNKNOWN', unknownText(name, inner, waiting));
  };
}

// A cancelled call may or may not have had its effect.
function hasOutcome({ status, entry }: JournaledCall): boolean {
  return status === 'finished' && entry.record.status !== 'cancelled';
}

function unknownText(name: string, inner: readonly JournaledCall[], waiting: readonly Approval[]): string {
  const parts = [
    ...inner.map((call) => `${call.entry.record.tool}: ${hasOutcome(call) ? call.entry.record.status : 'unknown'}`),
    ...waiting.map(neverStarted),
  ];
  const within = parts.length === 0 ? '' : ` Calls inside it: ${parts.join('; ')}.`;
  return (
    `The process ended while ${name} was running. Its outcome is unknown, and it was not repeated.${within} ` +
    'Check what has happened before you call it again'
  );
}
