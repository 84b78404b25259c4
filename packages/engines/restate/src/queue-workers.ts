import type { RunSignal } from '@ravi/kernel';
import { headKey, runKey, workerKey } from './queue-records.ts';
import type { HeadRecord, QueueRecords, RunRecord, TakenWake, WorkerHead, WorkerRecord } from './queue-records.ts';
import type { GivenRun, NumberedSignal, SyncRequest } from './queue-protocol.ts';
import type { ReadyRuns } from './ready-runs.ts';
import type { WaitingWakes } from './waiting-wakes.ts';

/** Workers of the queue, and the runs that they have. */
export interface QueueWorkers {
  /** Tokens of the runs that the worker has. */
  tokensOf(worker: string): readonly string[];
  /** Notes a sync. Returns false if the queue did not know the worker. */
  meet(request: SyncRequest): Promise<boolean>;
  /** Gives ready runs to a worker, and those again whose reply it did not receive. */
  give(request: SyncRequest): Promise<readonly GivenRun[]>;
  /** Ends the claim of workers on runs, each if the worker with the token still has it. Returns these runs with their claims. */
  release(claims: readonly Claim[]): Promise<readonly ReleasedRun[]>;
  /** Takes the runs from the workers that have them. */
  takeAway(runIds: readonly string[]): Promise<void>;
  /** Forgets a worker; others get its runs. */
  remove(worker: string): Promise<void>;
  /** Puts a signal in every mailbox. */
  signal(signal: RunSignal): Promise<void>;
  /** Returns the signals after the last one that the worker received. */
  readMail(request: SyncRequest): readonly NumberedSignal[];
  /** Makes workers look that may take runs of these versions. */
  notify(versions: ReadonlySet<string>, except?: string): void;
}

/** Claim of a worker on a run. */
export interface Claim {
  readonly runId: string;
  readonly token: string;
}

/** Run that a worker has no more. */
export interface ReleasedRun {
  readonly run: RunRecord;
  readonly claim: TakenWake;
}

/** Options of {@link openQueueWorkers}. */
export interface QueueWorkersOptions {
  readonly records: QueueRecords;
  readonly ready: ReadyRuns;
  readonly waiting: WaitingWakes;
  /** Ends the call in which a worker waits for news. */
  ring(ear: string): void;
}

const maxMail = 1_000;
const newWorker: WorkerHead = { versions: [], free: 0, beats: 0, checkedBeats: 0, missedChecks: 0, hasNews: false };

/** Opens the workers for one request, after the head was loaded and set. */
export function openQueueWorkers({ records, ready, waiting, ring }: QueueWorkersOptions): QueueWorkers {
  const head = (): HeadRecord => records.get(headKey) as HeadRecord;

  function recordOf(worker: string): WorkerRecord {
    const record = records.get(workerKey(worker)) ?? { runs: {}, signals: [], lastSignal: 0 };
    records.set(workerKey(worker), record);
    return record;
  }

  function tell(worker: string): void {
    const entry = head().workers[worker];
    if (entry === undefined) return;
    entry.hasNews = true;
    if (entry.ear !== undefined) ring(entry.ear);
    delete entry.ear;
  }

  async function release(claims: readonly Claim[]): Promise<readonly ReleasedRun[]> {
    await records.load(claims.map(({ runId }) => runKey(runId)));
    const released = claims.flatMap(({ runId, token }): ReleasedRun[] => {
      const run = records.get(runKey(runId));
      return run?.taken?.token === token ? [{ run, claim: run.taken }] : [];
    });
    await records.load(released.map(({ claim }) => workerKey(claim.worker)));
    for (const { run, claim } of released) {
      delete recordOf(claim.worker).runs[claim.token];
      delete run.taken;
    }
    await ready.release(released.map(({ claim }) => claim.wake.group));
    await waiting.resume(released.map(({ run }) => run));
    return released;
  }

  function take(run: RunRecord, worker: string): GivenRun {
    const found = waiting.remove(run);
    if (found === undefined) throw new TypeError(`${run.runId} has no wake`);
    const { wake, attempts } = found;
    const token = String((head().lastNumber += 1));
    run.taken = { wake, attempts, worker, token };
    records.set(runKey(run.runId), run);
    recordOf(worker).runs[token] = run.runId;
    return { token, wake, attempts };
  }

  return {
    tokensOf: (worker) => Object.keys(recordOf(worker).runs),
    async meet({ worker, versions, free }) {
      await records.load([workerKey(worker)]);
      const known = head().workers[worker];
      const entry: WorkerHead = known ?? { ...newWorker };
      entry.versions = versions.toSorted();
      entry.free = free;
      entry.beats += 1;
      entry.hasNews = false;
      head().workers[worker] = entry;
      return known !== undefined;
    },
    async give({ worker, versions, free, held }) {
      const known = new Set(held);
      const again = Object.entries(recordOf(worker).runs).filter(([token]) => !known.has(token));
      await records.load(again.map(([, runId]) => runKey(runId)));
      const repeated = again.flatMap(([token, runId]): GivenRun[] => {
        const taken = records.get(runKey(runId))?.taken;
        return taken?.token === token ? [{ token, wake: taken.wake, attempts: taken.attempts }] : [];
      });
      const runs = await ready.take(versions, Math.max(0, free - repeated.length));
      const given = [...repeated, ...runs.map((run) => take(run, worker))];
      const entry = head().workers[worker];
      if (entry !== undefined) entry.free = Math.max(0, free - given.length);
      return given;
    },
    release,
    async takeAway(runIds) {
      await records.load(runIds.map((runId) => runKey(runId)));
      const claims = runIds
        .map((runId) => records.get(runKey(runId))?.taken)
        .filter((taken): taken is TakenWake => taken !== undefined);
      await release(claims.map(({ wake, token }) => ({ runId: wake.runId, token })));
      for (const { worker } of claims) tell(worker);
    },
    async remove(worker) {
      await records.load([workerKey(worker)]);
      const claims = Object.entries(recordOf(worker).runs).map(([token, runId]) => ({ runId, token }));
      const released = await release(claims);
      const wakes = released.map(({ claim: { wake, attempts } }) => {
        const { notBefore: _notBefore, ...due } = wake;
        return { wake: { ...due, priority: wake.priority ?? 0, delayMs: 0 }, attempts };
      });
      await waiting.add(wakes, head().at);
      const ear = head().workers[worker]?.ear;
      if (ear !== undefined) ring(ear);
      delete head().workers[worker];
      records.remove(workerKey(worker));
    },
    async signal(signal) {
      const workers = Object.keys(head().workers);
      await records.load(workers.map((worker) => workerKey(worker)));
      for (const worker of workers) {
        const mail = recordOf(worker);
        const isFull = mail.signals.length >= maxMail;
        mail.lastSignal += 1;
        const added: NumberedSignal = { number: mail.lastSignal, signal: isFull ? { type: 'missed' } : signal };
        mail.signals = isFull ? [added] : [...mail.signals, added];
        tell(worker);
      }
    },
    readMail({ worker, heard }) {
      const mail = recordOf(worker);
      mail.signals = mail.signals.filter(({ number }) => number > heard);
      return mail.signals;
    },
    notify(versions, except) {
      for (const [worker, entry] of Object.entries(head().workers)) {
        if (worker === except || entry.free === 0 || !entry.versions.some((version) => versions.has(version))) continue;
        tell(worker);
      }
    },
  };
}
