import { retryWhileUnavailable } from '@ravi/support';
import { isKernelError, KernelError } from '@ravi/kernel';
import type { Clock, Journal, JournalEntry, JsonValue, CompleteStateStore, RunWriter } from '@ravi/kernel';
import { createEnds } from './ends.ts';
import { cancelledOutcome, firstNote, readRecordedRun, unknownOutcome } from './recorded-run.ts';
import type { RecordedKind, RecordedRun } from './recorded-run.ts';

/** Place of a call in its run, by the order of the script's requests. */
export interface CallPlace {
  readonly position: number;
  /** Digest of the text in which the script requested the call. */
  readonly requestDigest: string;
  /** 1 when absent. */
  readonly attempt?: number;
}

/** Writer of the journal of one run, for the process that executes it. */
export interface RunLog {
  /** Journal for the session; finds the place of a call by its id, which {@link RunLog.expect} registered. */
  readonly journal: Journal;
  expect(callId: string, place: CallPlace): void;
  /** Records the end of a wake, at `now`. */
  slept(position: number, now: number): Promise<void>;
  /** Records the reply that the script received at a place. */
  event(position: number, kind: RecordedKind, value: JsonValue): Promise<void>;
  /** Records a note that the script does not see. */
  note(kind: RecordedKind, value: JsonValue): Promise<void>;
  recordArtifact(ref: string): Promise<void>;
  /**
   * Records an end for each call that has none, before the run ends: the script did not await it, or the process that made it
   * has ended.
   */
  endOpenCalls(): Promise<void>;
  /** Artifacts recorded so far, including those of earlier processes. */
  readonly artifacts: readonly string[];
}

/** Options of {@link createRunLog}. */
export interface RunLogOptions {
  readonly store: Pick<CompleteStateStore, 'journal' | 'runs'>;
  /** Owner and epoch of the run; the store refuses writes of any other process. */
  readonly writer: RunWriter;
  readonly recorded: RecordedRun;
  readonly clock: Clock;
  /** Aborts the wait for an unavailable store. */
  readonly signal: AbortSignal;
  /** Called when the end of the call or wake at this place is recorded, in the order of the journal; it ended at `now`. */
  onFinished(position: number, now: number): void;
  /** Called when a record could not be written: this process must stop executing the run. */
  onLost(error: unknown): void;
}

/** Creates the log of a run. Writes wait while the store is unavailable; a lost run is reported by `onLost`. */
export function createRunLog(options: RunLogOptions): RunLog {
  const { store, writer, recorded, clock, signal, onFinished, onLost } = options;
  const { journal } = store;
  const { runId, owner, epoch } = writer;
  const places = new Map<string, CallPlace>();
  const artifacts = [...recorded.artifacts];
  const started = new Map<number, JournalEntry & CallPlace>();
  const finished = new Set<number>();
  const knownInner = new Set(recorded.innerCalls);
  const ends = createEnds({ readOrder, onEnd: ({ place, now }) => onFinished(place, now) });
  let nextNote = firstNote + recorded.notes;

  async function write(operation: () => Promise<void>, onFailure = (): void => {}): Promise<void> {
    let attempts = 0;
    try {
      await retryWhileUnavailable(
        () => {
          attempts++;
          return operation().catch((error: unknown) => {
            onFailure();
            throw error;
          });
        },
        { clock, signal },
      );
    } catch (error) {
      // A failed attempt may still have been written.
      const mayBeWritten = attempts > 1 && isKernelError(error, 'E_STATE_CONFLICT');
      if (mayBeWritten && (await orLost(holdsRun()))) return;
      onLost(error);
      throw error;
    }
  }

  async function orLost<Value>(reading: Promise<Value>): Promise<Value> {
    try {
      return await reading;
    } catch (error) {
      onLost(error);
      throw error;
    }
  }

  async function readOrder(): Promise<readonly number[]> {
    const { items } = await orLost(retryWhileUnavailable(() => journal.entries(runId), { clock, signal }));
    return readRecordedRun(items).order;
  }

  async function holdsRun(): Promise<boolean> {
    const run = await retryWhileUnavailable(() => store.runs.get(runId), { clock, signal });
    return run?.owner === owner && run.epoch === epoch;
  }

  // A call inside a tool has no place: a replay takes the outcome of the call of the script.
  function isInner({ record: { callId } }: JournalEntry): boolean {
    const end = callId.lastIndexOf('.');
    return !places.has(callId) && end > 0 && [...places.keys()].some((id) => callId.startsWith(`${id}.`));
  }

  function placed(entry: JournalEntry): JournalEntry & CallPlace {
    const place = places.get(entry.record.callId);
    if (place === undefined) throw new TypeError(`The call ${entry.record.callId} has no place in its run`);
    // The number of the attempt is that of the call if it has one: an earlier attempt that took effect has its outcome.
    return { ...entry, ...place, ...(entry.attempt === undefined ? {} : { attempt: entry.attempt }), writer };
  }

  const observe = (position: number, kind: RecordedKind, value: JsonValue, onFailure?: () => void): Promise<void> =>
    write(() => journal.observed({ runId, position, kind, value, writer }), onFailure);

  return {
    artifacts,
    journal: {
      async started(entry) {
        if (isInner(entry)) {
          const { callId, tool } = entry.record;
          if (!knownInner.has(callId)) return write(() => journal.started({ ...entry, writer }));
          // The tool makes other calls than before its process ended.
          throw new KernelError('E_STATE_CONFLICT', `The call ${callId} of ${tool} is recorded already`);
        }
        const own = placed(entry);
        const whole = entry.isWithdrawn === true ? { ...own, attempt: (own.attempt ?? 1) + 1 } : own;
        await write(() => journal.started(whole));
        started.set(whole.position, whole);
      },
      async finished(entry, result) {
        // A safe call whose process ended is made again, with the safe calls inside it.
        if (isInner(entry) && knownInner.has(entry.record.callId)) return;
        if (isInner(entry)) return write(() => journal.finished({ ...entry, writer }, result));
        const whole = placed(entry);
        await ends.record({ place: whole.position, now: timeOf(entry) }, async (onDoubt) => {
          await write(() => journal.finished(whole, result), onDoubt);
          finished.add(whole.position);
        });
      },
    },
    expect: (callId, place) => void places.set(callId, place),
    slept: (position, now) =>
      ends.record({ place: position, now }, (onDoubt) => observe(position, 'sleep', now, onDoubt)),
    event: (position, kind, value) => observe(position, kind, value),
    note: (kind, value) => observe(nextNote++, kind, value),
    async recordArtifact(ref) {
      await observe(nextNote++, 'artifact', ref);
      artifacts.push(ref);
    },
    async endOpenCalls() {
      const unknown = [...recorded.calls].filter(([place, { status }]) => status === 'started' && !started.has(place));
      const missing = [
        ...[...started.values()].map((entry) => ({ entry, ...cancelledOutcome(entry, clock.now()) })),
        ...unknown.map(([, call]) => ({ entry: { ...call.entry, writer }, ...unknownOutcome(call) })),
      ].filter(({ entry: { position } }) => position === undefined || !finished.has(position));
      for (const { entry, record, result } of missing) {
        await retryWhileUnavailable(() => journal.finished({ ...entry, record }, result), { clock, signal }).catch(
          // The end is recorded already, or another process has the run: the transition to its end finds that out.
          (error: unknown) => {
            if (!isKernelError(error, 'E_STATE_CONFLICT') && !isKernelError(error, 'E_STATE_INVALID')) throw error;
          },
        );
      }
    },
  };
}

/** Returns the time at which a call ended, in whole milliseconds since the Unix epoch. */
export function timeOf({ record }: Pick<JournalEntry, 'record'>): number {
  return Math.floor(record.startedAt + record.durationMs);
}
