import type {
  JournaledCall,
  JournaledEvent,
  JournalEvent,
  JournalItem,
  JsonValue,
  Approval,
  ApprovalStore,
  StateStore,
  ChainCallRecord,
  InvocationResult,
} from '@ravi/kernel';
import type { RunGrant } from '@ravi/invoker';

/** Where the notes of a run begin, which the script knows nothing of: beyond every call that it could make. */
export const firstNote: number = 2 ** 40;

/** Kinds of what a journal holds beside calls. */
export type RecordedKind = 'seed' | 'sleep' | 'answer' | 'artifact' | 'result';

/** What a script was told at a place, other than the end of a call. */
export type RecordedEvent = Pick<JournalEvent, 'kind' | 'value'>;

/** What is on record of a run. */
export interface RecordedRun {
  /** By the place in which the script asked for it. */
  readonly calls: ReadonlyMap<number, JournaledCall>;
  readonly events: ReadonlyMap<number, RecordedEvent>;
  /** The places of what the script was told, in that order. */
  readonly order: readonly number[];
  readonly artifacts: readonly string[];
  /** What the script came to, when it ended and its end was not put on record of the run any more. */
  readonly result?: JsonValue;
  /** How many notes there are. */
  readonly notes: number;
}

/** Reads the journal of a run. */
export function readRecordedRun(items: readonly JournalItem[]): RecordedRun {
  const calls = new Map<number, JournaledCall>();
  const events = new Map<number, RecordedEvent>();
  const ends: { readonly place: number; readonly order: number }[] = [];
  const artifacts: string[] = [];
  let result: JsonValue | undefined;
  let notes = 0;
  for (const item of items) {
    if (item.type === 'call') {
      const { position } = item.entry;
      if (position === undefined) continue;
      calls.set(position, item);
      if (item.finishedOrder !== undefined) ends.push({ place: position, order: item.finishedOrder });
      continue;
    }
    const { kind, position, value } = item.event;
    if (position >= firstNote) notes++;
    if (kind === 'artifact') artifacts.push(value as string);
    if (kind === 'result') result = value;
    if (position < firstNote) events.set(position, { kind, value });
    if (kind === 'sleep') ends.push(endOfSleep(item));
  }
  const order = ends.toSorted((left, right) => left.order - right.order).map(({ place }) => place);
  return { calls, events, order, artifacts, notes, ...(result === undefined ? {} : { result }) };
}

function endOfSleep({ event, finishedOrder }: JournaledEvent): { readonly place: number; readonly order: number } {
  return { place: event.position, order: finishedOrder };
}

/** How the questions of a run stand. */
export interface RunApprovals {
  /** The ids of all of them. */
  readonly asked: ReadonlySet<string>;
  /** The ids of those that are pending no more. */
  readonly answered: ReadonlySet<string>;
  /** What was granted for the whole run. */
  readonly grants: readonly RunGrant[];
  readonly pending: readonly Approval[];
  /** The calls whose answers were taken. */
  readonly taken: readonly string[];
  /** Whether there is an answer that the run has not taken. */
  readonly hasAnswer: boolean;
}

/**
 * Whether a paused run has something to go on with: an answer that it has not taken, or one that it took just before it
 * was paused, so that its call is not on record.
 * @throws KernelError of the store
 */
export async function hasWork({ approvals, journal }: StateStore, runId: string): Promise<boolean> {
  const { hasAnswer, pending, taken } = await readApprovals(approvals, runId);
  if (hasAnswer || pending.length === 0) return true;
  if (taken.length === 0) return false;
  const { items } = await journal.entries(runId);
  const onRecord = new Set(items.map((item) => (item.type === 'call' ? item.entry.record.callId : undefined)));
  return taken.some((callId) => !onRecord.has(callId));
}

/** Reads every question of a run. @throws KernelError of the store */
export async function readApprovals(store: ApprovalStore, runId: string): Promise<RunApprovals> {
  const approvals: Approval[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.list({ runId }, cursor === undefined ? {} : { cursor });
    approvals.push(...page.items);
    cursor = page.next;
  } while (cursor !== undefined);
  return {
    asked: idsOf(approvals),
    answered: idsOf(approvals.filter(({ status }) => status !== 'pending')),
    grants: approvals.filter(isGrant).map(({ request: { tool, toolDigest, risk } }) => ({ tool, toolDigest, risk })),
    pending: approvals.filter(({ status }) => status === 'pending'),
    taken: approvals.filter(({ status }) => status === 'consumed').map(({ request }) => request.callId),
    hasAnswer: approvals.some(({ status }) => status !== 'pending' && status !== 'consumed'),
  };
}

function idsOf(approvals: readonly Approval[]): ReadonlySet<string> {
  return new Set(approvals.map(({ request }) => request.id));
}

function isGrant({ status, answer }: Approval): boolean {
  return status === 'consumed' && answer?.decision === 'approved' && answer.scope === 'run';
}

/** What is said of a call that had begun when its process ended: it may have had its effect, and is not repeated. */
export function unknownOutcome({ entry }: JournaledCall): {
  readonly record: ChainCallRecord;
  readonly result: InvocationResult;
} {
  const { tool } = entry.record;
  const code = 'E_CALL_UNKNOWN';
  const message =
    `The call of ${tool} had begun when the process ended, and nobody knows whether it had its effect. ` +
    'It was not repeated: find out first';
  return {
    record: { ...entry.record, status: 'unknown', errorCode: code },
    result: { status: 'error', text: message, files: [], error: { code, message, retryable: false } },
  };
}
