import { retryWhileUnavailable } from '@ravi/support';
import { isKernelError } from '@ravi/kernel';
import type { Clock, Journal, JournalEntry, JsonValue, StateStore } from '@ravi/kernel';
import { firstNote } from './recorded-run.ts';
import type { RecordedKind, RecordedRun } from './recorded-run.ts';

/** Where a call belongs, by what the script said. */
export interface CallPlace {
  readonly position: number;
  /** Digest of the text by which the script asked for it. */
  readonly requestDigest: string;
  /** 1 when absent. */
  readonly attempt?: number;
}

/** The journal of one run in the hands of the process that runs it. */
export interface RunLog {
  /** For the session: each call is told by its id, which {@link RunLog.expect} knows. */
  readonly journal: Journal;
  expect(callId: string, place: CallPlace): void;
  /** Puts on record what the script was told at a place. */
  event(position: number, kind: RecordedKind, value: JsonValue): Promise<void>;
  /** Puts on record what the script knows nothing of. */
  note(kind: RecordedKind, value: JsonValue): Promise<void>;
  recordArtifact(ref: string): Promise<void>;
  /** Noted so far, by earlier processes too. */
  readonly artifacts: readonly string[];
}

/** What a {@link RunLog} is made of. */
export interface RunLogOptions {
  readonly store: Pick<StateStore, 'journal' | 'runs'>;
  readonly runId: string;
  /** Who holds the lease of the run: the store refuses everybody else. */
  readonly owner: string;
  readonly recorded: RecordedRun;
  readonly clock: Clock;
  /** Aborts when nobody waits for the store any more. */
  readonly signal: AbortSignal;
  /** The call at this place has its outcome on record, at `now`. */
  onFinished(position: number, now: number): void;
  /** Something could not be put on record: the run must not go on here. */
  onLost(error: unknown): void;
}

/** Outages of the store are waited for; whoever has lost the lease is told by `onLost`. */
export function createRunLog(options: RunLogOptions): RunLog {
  const { store, runId, owner, recorded, clock, signal, onFinished, onLost } = options;
  const { journal } = store;
  const places = new Map<string, CallPlace>();
  const artifacts = [...recorded.artifacts];
  let nextNote = firstNote + recorded.notes;

  async function write(operation: () => Promise<void>): Promise<void> {
    let attempts = 0;
    try {
      await retryWhileUnavailable(
        () => {
          attempts++;
          return operation();
        },
        { clock, signal },
      );
    } catch (error) {
      // An attempt that failed may have been written all the same.
      if (attempts > 1 && isKernelError(error, 'E_STATE_CONFLICT') && (await holdsLease())) return;
      onLost(error);
      throw error;
    }
  }

  async function holdsLease(): Promise<boolean> {
    const run = await retryWhileUnavailable(() => store.runs.get(runId), { clock, signal });
    return run?.lease?.owner === owner;
  }

  function placed(entry: JournalEntry): JournalEntry & CallPlace {
    const place = places.get(entry.record.callId);
    if (place === undefined) throw new TypeError(`The call ${entry.record.callId} has no place in its run`);
    return { ...entry, ...place, leaseOwner: owner };
  }

  const observe = (position: number, kind: RecordedKind, value: JsonValue): Promise<void> =>
    write(() => journal.observed({ runId, position, kind, value, leaseOwner: owner }));

  return {
    artifacts,
    journal: {
      started: (entry) => write(() => journal.started(placed(entry))),
      async finished(entry, result) {
        const whole = placed(entry);
        await write(() => journal.finished(whole, result));
        onFinished(whole.position, timeOf(entry));
      },
    },
    expect: (callId, place) => void places.set(callId, place),
    event: observe,
    note: (kind, value) => observe(nextNote++, kind, value),
    async recordArtifact(ref) {
      await observe(nextNote++, 'artifact', ref);
      artifacts.push(ref);
    },
  };
}

/** The moment at which a call ended, in whole milliseconds since the Unix epoch. */
export function timeOf({ record }: Pick<JournalEntry, 'record'>): number {
  return Math.floor(record.startedAt + record.durationMs);
}
