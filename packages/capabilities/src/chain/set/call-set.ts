import type { ApprovedCalls, CallToApprove } from '@ravi/invoker';
import { compareRisk, mayHaveBegun } from '@ravi/kernel';
import type { ApprovalTrace, InvocationResult, JournaledCall, JournalEntry, JsonObject, ToolRisk } from '@ravi/kernel';

/** Approval of the calls of a script: one request for each call, or one for all calls that a dry run found. */
export type ApproveMode = 'each' | 'set';

/** A call that a dry run found, and that needs approval. */
export interface CollectedCall {
  readonly tool: string;
  readonly toolDigest: string;
  readonly argsDigest: string;
  readonly risk: ToolRisk;
  /** The effect of the call, in the tool's own words. */
  readonly summary?: string;
  /** The arguments as approvers see them: without secrets. */
  readonly args: JsonObject;
  /** Number of calls with exactly these arguments. */
  readonly times: number;
}

/** A call without an effect that a dry run made: the real run gets its result. */
export interface DryCall {
  /** Digest of the text in which the script requested the call. */
  readonly requestDigest: string;
  readonly entry: Pick<JournalEntry, 'record' | 'toolDigest'>;
  readonly result: InvocationResult;
}

/** A file that a dry run stored: the real run gets its reference. */
export interface DryPut {
  readonly requestDigest: string;
  readonly reply: string;
}

/** Outcome of a dry run. */
export interface CallSet {
  readonly calls: readonly CollectedCall[];
  /** True if the script used an unknown result, so that further calls may follow. */
  readonly isPartial: boolean;
  readonly dryCalls: readonly DryCall[];
  readonly dryPuts: readonly DryPut[];
}

/** Decision about a set. */
export interface SetDecision {
  readonly approval: ApprovalTrace;
}

/**
 * Creates the approvals of an approved set. Each call takes one. `recorded` are the calls of earlier processes: those that may have begun have
 * taken theirs, and the same call may take it again when it is repeated.
 */
export function createApprovedCalls(
  calls: readonly CollectedCall[],
  { approval }: SetDecision,
  recorded: Iterable<JournaledCall>,
): ApprovedCalls {
  const left = new Map<string, { readonly risk: ToolRisk; times: number }>();
  for (const { risk, times, ...call } of calls) left.set(keyOf(call), { risk, times });
  const takenBy = new Map<string, string>();
  for (const known of recorded) {
    const { record, toolDigest = '' } = known.entry;
    if (record.approval?.requestId !== approval.requestId || !mayHaveBegun(known)) continue;
    const key = keyOf({ ...record, toolDigest });
    const entry = left.get(key);
    if (entry !== undefined) entry.times--;
    takenBy.set(record.callId, key);
  }
  return {
    take(call) {
      const key = keyOf(call);
      const entry = left.get(key);
      if (entry === undefined || compareRisk(call.risk, entry.risk) > 0) return undefined;
      if (takenBy.get(call.callId) === key) return approval;
      if (entry.times <= 0) return undefined;
      entry.times--;
      takenBy.set(call.callId, key);
      return approval;
    },
  };
}

function keyOf({ tool, toolDigest, argsDigest }: Pick<CallToApprove, 'tool' | 'toolDigest' | 'argsDigest'>): string {
  return JSON.stringify([tool, toolDigest, argsDigest]);
}

/** Results of a dry run, each taken once, by the text of the request. */
export interface DryResults {
  takeCall(requestDigest: string): DryCall | undefined;
  takePut(requestDigest: string): DryPut | undefined;
}

/** Creates the results of a dry run for the real run. Those that the journal of the real run has are taken already. */
export function createDryResults({ dryCalls, dryPuts }: Pick<CallSet, 'dryCalls' | 'dryPuts'>): DryResults {
  const calls = queuesOf(dryCalls);
  const puts = queuesOf(dryPuts);
  return {
    takeCall: (requestDigest) => calls.get(requestDigest)?.shift(),
    takePut: (requestDigest) => puts.get(requestDigest)?.shift(),
  };
}

function queuesOf<Item extends { readonly requestDigest: string }>(items: readonly Item[]): Map<string, Item[]> {
  const queues = new Map<string, Item[]>();
  for (const item of items) {
    const queue = queues.get(item.requestDigest) ?? [];
    queue.push(item);
    queues.set(item.requestDigest, queue);
  }
  return queues;
}
