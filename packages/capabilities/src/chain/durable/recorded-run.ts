import { runGrantsOf } from '@ravi/invoker/internal';
import { answeredApprovalStatuses, isUndecided, mayHaveBegun } from '@ravi/kernel';
import type {
  JournaledCall,
  JournaledEvent,
  JournalEvent,
  JournalItem,
  JsonValue,
  Approval,
  ApprovalRequest,
  ApprovalStore,
  CompleteStateStore,
  ChainCallRecord,
  ChainFile,
  InvocationResult,
  Run,
} from '@ravi/kernel';
import type { RunGrant } from '@ravi/invoker';
import { readAllPages } from '@ravi/support';
import { chainKind } from './run-definition.ts';
import type { CallSet, SetDecision } from '../set/call-set.ts';

/** First position of notes, which the script does not see: above the position of any call that it can make. */
export const firstNote: number = 2 ** 40;

/** Kinds of journal entries other than calls. */
export type RecordedKind = 'seed' | 'sleep' | 'answer' | 'put' | 'artifact' | 'set' | 'set-decision' | 'result';

/** A recorded reply to a script other than the end of a call. */
export type RecordedEvent = Pick<JournalEvent, 'kind' | 'value'>;

/** Journal of a run, sorted by kind. */
export interface RecordedRun {
  /** By the place of the script's request. */
  readonly calls: ReadonlyMap<number, JournaledCall>;
  readonly events: ReadonlyMap<number, RecordedEvent>;
  /** Places in the order in which the script received their replies. */
  readonly order: readonly number[];
  readonly artifacts: readonly string[];
  /** Ids of the calls that tools made inside calls of the script. */
  readonly innerCalls: readonly string[];
  /** Result of the script, present if the script ended but the end of the run was not recorded. */
  readonly result?: JsonValue;
  /** Outcome of the dry run of a script whose calls are approved together. */
  readonly set?: CallSet;
  /** Decision about the set. */
  readonly setDecision?: SetDecision;
  /** Number of notes. */
  readonly notes: number;
}

/** Reads the journal of a run. */
export function readRecordedRun(items: readonly JournalItem[]): RecordedRun {
  const calls = new Map<number, JournaledCall>();
  const events = new Map<number, RecordedEvent>();
  const ends: { readonly place: number; readonly order: number }[] = [];
  const artifacts: string[] = [];
  const innerCalls: string[] = [];
  let result: JsonValue | undefined;
  let set: CallSet | undefined;
  let setDecision: SetDecision | undefined;
  let notes = 0;
  for (const item of items) {
    if (item.type === 'call') {
      const { position } = item.entry;
      if (position === undefined) {
        innerCalls.push(item.entry.record.callId);
        continue;
      }
      calls.set(position, item);
      if (item.finishedOrder !== undefined) ends.push({ place: position, order: item.finishedOrder });
      continue;
    }
    const { kind, position, value } = item.event;
    if (position >= firstNote) notes++;
    if (kind === 'artifact') artifacts.push(value as string);
    if (kind === 'result') result = value;
    if (kind === 'set') set = value as unknown as CallSet;
    if (kind === 'set-decision') setDecision = value as unknown as SetDecision;
    if (position < firstNote) events.set(position, { kind, value });
    if (kind === 'sleep') ends.push(endOfSleep(item));
  }
  const order = ends.toSorted((left, right) => left.order - right.order).map(({ place }) => place);
  return {
    calls,
    events,
    order,
    artifacts,
    innerCalls,
    notes,
    ...(result === undefined ? {} : { result }),
    ...(set === undefined ? {} : { set }),
    ...(setDecision === undefined ? {} : { setDecision }),
  };
}

function endOfSleep({ event, finishedOrder }: JournaledEvent): { readonly place: number; readonly order: number } {
  return { place: event.position, order: finishedOrder };
}

/** Returns the files that the calls of a script made. */
export function filesOf({ calls }: RecordedRun): readonly ChainFile[] {
  return [...calls.values()].flatMap((call) => call.result?.files ?? []);
}

/** Approval requests of a run, sorted by state. */
export interface RunApprovals {
  /** Ids of all requests. */
  readonly requestedApprovals: ReadonlySet<string>;
  /** Ids of the requests that no longer wait for a decision. */
  readonly decidedApprovals: ReadonlySet<string>;
  /** Requests with which calls wait for their results from outside, by the id of the call. */
  readonly completions: ReadonlyMap<string, ApprovalRequest>;
  /** Approvals that hold for the whole run. */
  readonly grants: readonly RunGrant[];
  readonly pending: readonly Approval[];
  /** Requests that were decided or have expired, and whose calls have not taken that. */
  readonly unread: readonly Approval[];
  readonly consumed: readonly Approval[];
}

/**
 * Returns true if a paused run can make progress: a decision that its call has not taken, or took just before the run was
 * paused, so that the call is not recorded.
 * @throws KernelError from the store
 */
export async function hasWork(
  { approvals, journal }: CompleteStateStore,
  { id: runId, definition: { kind } }: Pick<Run, 'id' | 'definition'>,
): Promise<boolean> {
  const { unread, pending, consumed } = await readApprovals(approvals, runId);
  // Runs of other kinds pause for other reasons too, and consume decisions only while they are running.
  if (kind !== chainKind) return unread.length > 0;
  if (pending.length === 0) return true;
  const isOwn = ({ request }: Approval): boolean => request.runId === runId;
  if (unread.some((approval) => !isOwn(approval))) return true;
  // A call may need a further decision after one that it has taken.
  const waiting = new Set(pending.filter(isOwn).map(({ request }) => request.callId));
  const answered = [...unread, ...consumed.filter(isOwn)].filter(({ request }) => !waiting.has(request.callId));
  if (answered.length === 0) return false;
  const { items } = await journal.entries(runId);
  const calls = items.filter((item) => item.type === 'call').filter(mayHaveBegun);
  const idsOfCalls = (recorded: readonly JournaledCall[]): ReadonlySet<string> =>
    new Set(recorded.map(({ entry }) => entry.record.callId));
  const begun = idsOfCalls(calls);
  // A call that waits for its result from outside has begun.
  const ended = idsOfCalls(calls.filter(({ status }) => status === 'finished'));
  // The decision about a set is recorded, but not as a call of the script.
  const { setDecision } = readRecordedRun(items);
  return answered.some(
    ({ request }) =>
      !(request.completion === undefined ? begun : ended).has(request.callId) &&
      request.id !== setDecision?.approval.requestId,
  );
}

/**
 * Reads every approval request of a run and of the runs below it. `wholeRunId` names the run that it is part of.
 * @throws KernelError from the store
 */
export async function readApprovals(
  store: ApprovalStore,
  runId: string,
  wholeRunId: string = runId,
): Promise<RunApprovals> {
  const approvals = await readAllPages((page) => store.list({ runId }, page));
  const isOfRun = (request: ApprovalRequest): boolean => request.runId === runId && request.completion !== undefined;
  return {
    requestedApprovals: idsOf(approvals),
    decidedApprovals: idsOf(approvals.filter((approval) => !isUndecided(approval))),
    completions: new Map(
      approvals
        .filter(({ request, status }) => isOfRun(request) && status !== 'withdrawn')
        .map(({ request }) => [request.callId, request]),
    ),
    grants: runGrantsOf(approvals, wholeRunId),
    pending: approvals.filter(isUndecided),
    unread: approvals.filter(({ status }) => answeredApprovalStatuses.includes(status)),
    consumed: approvals.filter(({ status }) => status === 'consumed'),
  };
}

function idsOf(approvals: readonly Approval[]): ReadonlySet<string> {
  return new Set(approvals.map(({ request }) => request.id));
}

/** Outcome of a call as the journal keeps it. */
export interface CallOutcome {
  readonly record: ChainCallRecord;
  readonly result: InvocationResult;
}

/** Returns the outcome of a call that was running when its process ended: it may have taken effect, so it is not repeated. */
export function unknownOutcome(call: JournaledCall): CallOutcome {
  const { entry } = call;
  if (!mayHaveBegun(call)) return outcomeOf(entry.record, 'cancelled', 'E_CANCELLED', notBegun(entry.record));
  const message =
    `The call of ${entry.record.tool} was running when the process ended, so it is unknown whether it took effect. ` +
    'It was not repeated: check its effect first';
  return outcomeOf(entry.record, 'unknown', 'E_CALL_UNKNOWN', message);
}

/** Returns the outcome of a call that was running when its script ended at `now`. */
export function cancelledOutcome(
  { record, isWithdrawn }: Pick<JournaledCall['entry'], 'record' | 'isWithdrawn'>,
  now: number,
): CallOutcome {
  const message =
    isWithdrawn === true
      ? notBegun(record)
      : `The script ended before the call of ${record.tool}, which was cancelled. It may have taken effect`;
  return outcomeOf({ ...record, durationMs: now - record.startedAt }, 'cancelled', 'E_CANCELLED', message);
}

function notBegun({ tool }: ChainCallRecord): string {
  return `The call of ${tool} was cancelled before it began, and the run ended without it`;
}

function outcomeOf(
  record: ChainCallRecord,
  status: 'unknown' | 'cancelled',
  code: string,
  message: string,
): CallOutcome {
  return {
    record: { ...record, status, errorCode: code },
    result: { status: 'error', text: message, files: [], error: { code, message, retryable: false } },
  };
}
