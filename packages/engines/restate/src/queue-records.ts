import { RestatePromise } from '@restatedev/restate-sdk';
import type { ObjectContext, Serde } from '@restatedev/restate-sdk';
import type { DeadWake, RunWake } from '@ravi/kernel';
import type { NumberedSignal } from './queue-protocol.ts';

/** Wake that no worker has taken. */
export interface WaitingWake {
  wake: RunWake;
  attempts: number;
  /** Milliseconds since the Unix epoch, by the clock of the process that woke the run. */
  readonly dueAt: number;
  /** Number of the timer that it waits for; absent once it is due. */
  bucket?: number;
  /** Its place in the order of ready runs; absent while it is delayed, or a worker has the run. */
  place?: number;
}

/** Wake that a worker handles. */
export interface TakenWake {
  readonly wake: RunWake;
  readonly attempts: number;
  readonly worker: string;
  readonly token: string;
}

/** A run that waits, is handled, or both. */
export interface RunRecord {
  readonly runId: string;
  waiting?: WaitingWake;
  taken?: TakenWake;
}

/** A worker, as far as each request needs it. */
export interface WorkerHead {
  versions: readonly string[];
  free: number;
  /** Syncs so far. */
  beats: number;
  /** Syncs at the last check that it is alive, and checks without one since. */
  checkedBeats: number;
  missedChecks: number;
  /** Awakeable of the call that waits for news. */
  ear?: string;
  hasNews: boolean;
}

/** Values that nearly every request reads. */
export interface HeadRecord {
  /** Last number of a place or token. */
  lastNumber: number;
  /** Latest time of a caller. */
  at: number;
  /** Runs that wait. */
  waiting: number;
  readonly workers: Record<string, WorkerHead>;
}

/** Runs and mailbox of a worker. */
export interface WorkerRecord {
  /** Run ids by token. */
  readonly runs: Record<string, string>;
  signals: NumberedSignal[];
  lastSignal: number;
}

/** Ready runs of one group, version and priority: numbers of the first and the last chunk. */
export interface Level {
  readonly priority: number;
  first: number;
  last: number;
}

/** Ready runs of one group and version. */
export interface VersionQueue {
  readonly version: string;
  /** True if the group is among those that take turns. */
  isInTurn: boolean;
  readonly levels: Level[];
}

/** A group that has ready or taken runs. */
export interface GroupRecord {
  taken: number;
  queues: VersionQueue[];
}

/** Runs that become due with one timer. */
export interface BucketRecord {
  readonly runIds: readonly string[];
  /** If the bucket is full, the one that had room last. */
  readonly overflow?: number;
}

/** Place and run of ready runs; an entry counts as long as its run has that place. */
export type Chunk = [place: number, runId: string][];

/** Key of a value in the state of the queue. */
export type Key<Value> = string & { readonly value?: Value };

// No name has a control character.
const separator = '\t';
const keyOf =
  <Value>(kind: string) =>
  (...parts: readonly (string | number)[]): Key<Value> =>
    [kind, ...parts].join(separator);

/** Beginning of the keys of runs. */
export const runPrefix: string = `run${separator}`;
/** Beginning of the keys of dead wakes. */
export const deadPrefix: string = `dead${separator}`;
/** The one record that every request reads. */
export const headKey: Key<HeadRecord> = 'head';
/** A run that waits or is being handled. */
export const runKey: (runId: string) => Key<RunRecord> = keyOf<RunRecord>('run');
/** Runs and signals of a worker. */
export const workerKey: (worker: string) => Key<WorkerRecord> = keyOf<WorkerRecord>('worker');
/** Numbers of a group. */
export const groupKey: (group: string) => Key<GroupRecord> = keyOf<GroupRecord>('group');
/** Groups with ready runs of a version, in their order. */
export const turnsKey: (version: string) => Key<readonly string[]> = keyOf<readonly string[]>('turns');
/** Some of the ready runs of a group, in their order. */
export const chunkKey: (version: string, group: string, priority: number, number: number) => Key<Chunk> =
  keyOf<Chunk>('chunk');
/** Runs that become due in the same span of time. */
export const bucketKey: (bucket: number) => Key<BucketRecord> = keyOf<BucketRecord>('bucket');
/** A wake that was given up. */
export const deadKey: (runId: string) => Key<DeadWake> = keyOf<DeadWake>('dead');

/** Values of the queue in one request: read together, changed in memory, and written at the end. */
export interface QueueRecords {
  /** Reads values that were not read yet, all at once. */
  load(keys: readonly Key<unknown>[]): Promise<void>;
  /** Returns a value that was loaded or set. */
  get<Value>(key: Key<Value>): Value | undefined;
  set<Value>(key: Key<Value>, value: Value): void;
  remove(key: Key<unknown>): void;
  /** Writes what was set and removed. */
  write(): void;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const text: Serde<string> = {
  contentType: 'text/plain',
  serialize: (value) => encoder.encode(value),
  deserialize: (bytes) => decoder.decode(bytes),
};

/** Opens the values of a queue for one request. */
export function openRecords(ctx: ObjectContext): QueueRecords {
  const values = new Map<string, unknown>();
  const changed = new Set<string>();
  return {
    async load(keys) {
      const missing = [...new Set(keys)].filter((key) => !values.has(key));
      if (missing.length === 0) return;
      const found = await RestatePromise.all(missing.map((key) => ctx.get(key, text) as RestatePromise<string | null>));
      for (const [index, key] of missing.entries()) values.set(key, decode(found[index] ?? null));
    },
    get(key) {
      if (!values.has(key)) throw new TypeError(`${key} was not loaded`);
      return values.get(key) as never;
    },
    set(key, value) {
      values.set(key, value);
      changed.add(key);
    },
    remove(key) {
      values.set(key, undefined);
      changed.add(key);
    },
    write() {
      for (const key of changed) {
        const value = values.get(key);
        if (value === undefined) ctx.clear(key);
        else ctx.set(key, encode(key, value), text);
      }
    },
  };
}

/** Columns of a run before its JSON, so that a statement of SQL can count runs. */
export const runColumns = { status: 1, group: 2, dueAt: 3, takenGroup: 4 } as const;

/** Position of the JSON among the columns of a run or of a dead wake. */
export const jsonColumn = { run: 5, dead: 2 } as const;

function encode(key: string, value: unknown): string {
  const json = JSON.stringify(value);
  if (key.startsWith(deadPrefix)) return [(value as DeadWake).diedAt, json].join(separator);
  if (!key.startsWith(runPrefix)) return json;
  const { waiting, taken } = value as RunRecord;
  const status = waiting === undefined ? '' : waiting.bucket === undefined ? 'ready' : 'delayed';
  return [status, waiting?.wake.group ?? '', waiting?.dueAt ?? '', taken?.wake.group ?? '', json].join(separator);
}

function decode(stored: string | null): unknown {
  if (stored === null) return undefined;
  // JSON has no tab outside of its escapes.
  return JSON.parse(stored.slice(stored.lastIndexOf(separator) + 1));
}
