import { mergeWakes } from '@ravi/engine-kit';
import { bucketKey, headKey, runKey } from './queue-records.ts';
import type { HeadRecord, QueueRecords, RunRecord, WaitingWake } from './queue-records.ts';
import type { AttemptedWake } from './queue-protocol.ts';
import type { ReadyRuns } from './ready-runs.ts';

/** Wakes that no worker has taken: at most one for each run. */
export interface WaitingWakes {
  /** Counts the runs among these that do not wait yet. */
  countNew(runIds: readonly string[]): Promise<number>;
  /** Adds wakes, merged with those that wait; at the time `at`. */
  add(wakes: readonly AttemptedWake[], at: number): Promise<void>;
  /** Makes the runs of a timer ready. */
  becomeDue(bucket: number): Promise<void>;
  /** Makes runs that no worker has any more ready, if their wakes are due. */
  resume(runs: readonly RunRecord[]): Promise<void>;
  /** Removes and returns the wake of a run that a worker takes. */
  remove(run: RunRecord): WaitingWake | undefined;
}

/** Options of {@link openWaitingWakes}. */
export interface WaitingWakesOptions {
  readonly records: QueueRecords;
  readonly ready: ReadyRuns;
  /** Calls `becomeDue` for the bucket after a delay. */
  startTimer(bucket: number, delayMs: number): void;
}

/** Runs of one bucket have one timer: at most four timers a second, however many runs wait. */
const bucketMs = 250;
/** Runs that become due in one request. More of one time become due a little later. */
const bucketSize = 500;

/** Opens the waiting wakes for one request, after the head was loaded and set. */
export function openWaitingWakes({ records, ready, startTimer }: WaitingWakesOptions): WaitingWakes {
  function countWaiting(change: 1 | -1): void {
    const head = records.get(headKey) as HeadRecord;
    head.waiting += change;
  }

  function save(run: RunRecord): void {
    if (run.waiting === undefined && run.taken === undefined) records.remove(runKey(run.runId));
    else records.set(runKey(run.runId), run);
  }

  async function findRoom(wanted: number): Promise<number> {
    for (let bucket = wanted; ;) {
      await records.load([bucketKey(bucket)]);
      const { runIds = [], overflow } = records.get(bucketKey(bucket)) ?? {};
      if (runIds.length < bucketSize) return bucket;
      bucket = overflow ?? bucket + 1;
    }
  }

  async function enterBucket(runId: string, waiting: WaitingWake, at: number): Promise<void> {
    const wanted = bucketOf(waiting.dueAt);
    const bucket = await findRoom(wanted);
    const full = bucket === wanted ? undefined : records.get(bucketKey(wanted));
    if (full !== undefined) records.set(bucketKey(wanted), { ...full, overflow: bucket });
    const found = records.get(bucketKey(bucket));
    if (found === undefined) startTimer(bucket, bucket * bucketMs - at);
    waiting.bucket = bucket;
    records.set(bucketKey(bucket), { ...found, runIds: [...(found?.runIds ?? []), runId] });
  }

  function leaveBucket(runId: string, bucket: number): void {
    const { runIds = [], ...rest } = records.get(bucketKey(bucket)) ?? {};
    const left = runIds.filter((id) => id !== runId);
    if (left.length === 0) records.remove(bucketKey(bucket));
    else records.set(bucketKey(bucket), { ...rest, runIds: left });
  }

  /** Returns the run if its wake has to be put in order. */
  async function addOne({ wake, attempts }: AttemptedWake, at: number): Promise<RunRecord | undefined> {
    const { delayMs: _delayMs, ...given } = wake;
    const run: RunRecord = records.get(runKey(wake.runId)) ?? { runId: wake.runId };
    const other = run.waiting;
    if (other === undefined) countWaiting(1);
    const waiting: WaitingWake = {
      wake: other === undefined ? given : mergeWakes(other.wake, given),
      attempts: Math.max(attempts, other?.attempts ?? 0),
      dueAt: Math.min(other?.dueAt ?? Infinity, wake.notBefore ?? at),
    };
    run.waiting = waiting;
    const isDue = waiting.dueAt <= at || (other !== undefined && other.bucket === undefined);
    if (other?.place !== undefined && hasSamePlace(other, waiting)) {
      // A run that is woken often must not lose its place each time.
      waiting.place = other.place;
      save(run);
      return undefined;
    }
    if (other?.bucket !== undefined) leaveBucket(run.runId, other.bucket);
    if (!isDue) await enterBucket(run.runId, waiting, at);
    save(run);
    return isDue && run.taken === undefined ? run : undefined;
  }

  return {
    async countNew(runIds) {
      await records.load(runIds.map((runId) => runKey(runId)));
      return runIds.filter((runId) => records.get(runKey(runId))?.waiting === undefined).length;
    },
    async add(wakes, at) {
      await records.load(wakes.map(({ wake }) => runKey(wake.runId)));
      const buckets = wakes.flatMap(({ wake: { runId, notBefore = 0 } }) => {
        const old = records.get(runKey(runId))?.waiting?.bucket;
        return [...(old === undefined ? [] : [old]), ...(notBefore > at ? [bucketOf(notBefore)] : [])];
      });
      await records.load(buckets.map((bucket) => bucketKey(bucket)));
      // A run may be there twice.
      const due = new Set<RunRecord>();
      for (const wake of wakes) {
        const run = await addOne(wake, at);
        if (run !== undefined) due.add(run);
      }
      await ready.add([...due]);
    },
    async becomeDue(bucket) {
      await records.load([bucketKey(bucket)]);
      const { runIds = [] } = records.get(bucketKey(bucket)) ?? {};
      records.remove(bucketKey(bucket));
      await records.load(runIds.map((runId) => runKey(runId)));
      const due: RunRecord[] = [];
      for (const runId of runIds) {
        const run = records.get(runKey(runId));
        if (run?.waiting?.bucket !== bucket) continue;
        delete run.waiting.bucket;
        save(run);
        if (run.taken === undefined) due.push(run);
      }
      await ready.add(due);
    },
    async resume(runs) {
      runs.forEach(save);
      await ready.add(runs.filter(({ waiting }) => waiting !== undefined && waiting.bucket === undefined));
    },
    remove(run) {
      const { waiting } = run;
      if (waiting === undefined) return undefined;
      delete run.waiting;
      countWaiting(-1);
      save(run);
      return waiting;
    },
  };
}

function bucketOf(dueAt: number): number {
  return Math.ceil(dueAt / bucketMs);
}

function hasSamePlace({ wake: one }: WaitingWake, { wake: other }: WaitingWake): boolean {
  return one.group === other.group && one.version === other.version && one.priority === other.priority;
}
