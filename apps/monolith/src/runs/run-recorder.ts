import type { HookManager } from '@ravi/invoker';
import type { PriceTable } from '@ravi/agents';
import type { RecordedEvent, RecordedEventType } from '@ravi/api';
import type { BlobStore, Clock, EventScope, HookEventType, JsonObject, Logger, RunEventOf } from '@ravi/kernel';
import { costOf } from '@ravi/agents';
import { createEventLog } from './event-log.ts';
import type { EventLog } from './event-log.ts';
import type { StoredEvents } from './stored-events.ts';

/** Records the events of runs from their hooks and stores them. */
export interface RunRecorder extends AsyncDisposable {
  /** Opens the event log of a run, after the events stored so far. Returns `undefined` if it is already open. */
  open(runId: string): Promise<EventLog | undefined>;
  /** Stores the remaining events and closes the log. */
  close(runId: string): Promise<void>;
  /** Returns the log of a run that is active in this process. */
  active(runId: string): EventLog | undefined;
  /** Returns the events after `sequence`, from memory or the store. */
  read(runId: string, sequence: number): Promise<readonly RecordedEvent[]>;
  /** Unpins every artifact of an ended run, so that the next sweep removes those without other pins. */
  release(runId: string): Promise<void>;
}

/** Options of {@link createRunRecorder}. */
export interface RunRecorderOptions {
  readonly hooks: HookManager;
  readonly stored: StoredEvents;
  readonly blobStore: BlobStore;
  /** Removes secrets from event data. By default nothing is removed. */
  readonly redact?: (data: JsonObject) => JsonObject;
  /** Without prices no event has a cost. */
  readonly prices?: PriceTable;
  readonly clock: Clock;
  readonly logger: Logger;
}

const maxUnsaved = 200;
// Events that a reader may wait for after this process has ended.
const milestones: ReadonlySet<RecordedEventType> = new Set<RecordedEventType>([
  'approval-requested',
  'approval-decided',
  'artifact',
  'run-start',
  'run-paused',
  'step-start',
  'step-end',
]);

/** Types of the events that hooks report about every call of a run, also of calls by scripts. */
const callEventTypes = [
  'tool-call',
  'tool-result',
  'approval-requested',
  'approval-decided',
  'artifact',
  'console',
  'model-end',
] as const satisfies readonly (HookEventType & RecordedEventType)[];

/** Returns the owner of the pins that keep the artifacts of a run after it has ended. */
function keeperOf(runId: string): string {
  return `${keeperPrefix}${runId}`;
}

/** Returns the run whose artifacts the pins of `owner` keep; `undefined` for another owner. */
export function runOfKeeper(owner: string): string | undefined {
  return owner.startsWith(keeperPrefix) ? owner.slice(keeperPrefix.length) : undefined;
}

const keeperPrefix = 'kept:';

/** Creates a recorder of the runs that are opened with it. Other calls are not recorded. */
export function createRunRecorder(options: RunRecorderOptions): RunRecorder {
  const { hooks, stored, blobStore, redact = (data) => data, prices, clock, logger } = options;
  const logs = new Map<string, EventLog>();
  /** Number of console lines that a resumed script will write again. */
  const repeatedLines = new Map<string, number>();
  const writes = new Set<Promise<void>>();

  function track(runId: string, what: string, write: Promise<void>): void {
    const tracked: Promise<void> = write
      .catch((error: unknown) => logger.error(`${what} could not be stored`, { runId, error }))
      .finally(() => writes.delete(tracked));
    writes.add(tracked);
  }

  function save(runId: string, log: EventLog): void {
    track(runId, 'events of a run', stored.save(runId, log.takeUnsaved()));
  }

  // A resumed script runs from its beginning and writes its earlier lines again.
  function isRepeated(runId: string, { parentId }: EventScope): boolean {
    const left = repeatedLines.get(runId) ?? 0;
    if (parentId !== undefined || left === 0) return false;
    repeatedLines.set(runId, left - 1);
    return true;
  }

  function record(event: RunEventOf<(typeof callEventTypes)[number]>): void {
    const { runId } = event;
    const log = logs.get(runId);
    if (log === undefined || (event.type === 'console' && isRepeated(runId, event))) return;
    log.append(event.type === 'model-end' ? withCost(event, prices) : event);
    if (event.type === 'artifact') track(runId, 'an artifact of a run', blobStore.pin(event.ref, keeperOf(runId)));
  }

  const unsubscribe = callEventTypes.map((type) => hooks.observe(type, record));

  return {
    async open(runId) {
      if (logs.has(runId)) return undefined;
      const known = await stored.load(runId);
      if (logs.has(runId)) return undefined;
      const from = known.at(-1)?.sequence ?? 0;
      repeatedLines.set(runId, known.filter(isLineOfRun).length);
      const log = createEventLog({
        clock,
        from,
        redact,
        onAppend: (type, unsaved) => {
          if (unsaved >= maxUnsaved || milestones.has(type)) queueMicrotask(() => save(runId, log));
        },
      });
      logs.set(runId, log);
      return log;
    },
    async close(runId) {
      const log = logs.get(runId);
      if (log === undefined) return;
      save(runId, log);
      await Promise.all(writes);
      logs.delete(runId);
      repeatedLines.delete(runId);
      log.close();
    },
    active: (runId) => logs.get(runId),
    async read(runId, sequence) {
      const known = logs.get(runId)?.after(sequence);
      if (known !== undefined) return known;
      return (await stored.load(runId)).filter((event) => event.sequence > sequence);
    },
    async release(runId) {
      for (const ref of await stored.artifactsOf(runId)) {
        for (const owner of [keeperOf(runId), runId]) await blobStore.unpin(ref, owner);
      }
    },
    async [Symbol.asyncDispose]() {
      for (const stop of unsubscribe) stop();
      for (const [runId, log] of logs) {
        save(runId, log);
        log.close();
      }
      logs.clear();
      await Promise.all(writes);
    },
  };
}

function isLineOfRun({ type, data }: RecordedEvent): boolean {
  return type === 'console' && data.parentId === undefined;
}

/** Returns the event with the cost of the response, if the model has a price. */
function withCost(event: RunEventOf<'model-end'>, prices: PriceTable | undefined): RunEventOf<'model-end'> {
  const { provider, model, usage } = event;
  const named = model === undefined ? undefined : costOf(prices, model, usage);
  const cost = named ?? costOf(prices, provider, usage);
  return cost === undefined ? event : { ...event, cost };
}
