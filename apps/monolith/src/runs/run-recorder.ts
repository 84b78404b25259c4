import type { HookManager } from '@ravi/invoker';
import type { PriceTable } from '@ravi/agents';
import type { RecordedEvent, RecordedEventType } from '@ravi/api';
import type {
  BlobStore,
  Clock,
  CompleteStateStore,
  EventScope,
  HookEventType,
  JsonObject,
  Logger,
  RunEventOf,
  RunHolder,
  RunStore,
  RunWriter,
} from '@ravi/kernel';
import { costOf } from '@ravi/agents';
import { createEventLog } from './event-log.ts';
import type { EventLog } from './event-log.ts';
import { createLostCalls } from './lost-calls.ts';
import type { LostCalls } from './lost-calls.ts';
import { createRecordedRuns } from './recorded-runs.ts';
import { createStoreTick } from './store-tick.ts';
import { resultsInHistory } from './results-in-history.ts';
import { createStoredEvents } from './stored-events.ts';
import type { RunRecord } from './stored-events.ts';

/** Records the events of runs from their hooks and stores them. */
export interface RunRecorder extends AsyncDisposable {
  /** Run store for the runs of this process: it writes the end of a run after its other events. */
  readonly runs: RunStore;
  /** Opens the event log of a run, after the events stored so far. Returns `undefined` if it is already open. */
  open(runId: string, options?: { readonly isNew?: boolean }): Promise<EventLog | undefined>;
  /** Stores the remaining events, unless the store does not respond, and closes the log. */
  close(runId: string): Promise<void>;
  /**
   * Claims a run only to end it: no attempt begins. Opens its log, which the caller closes. Returns false without an open log if the
   * run is active here or another process has it.
   */
  claimToEnd(runId: string, holder: RunHolder): Promise<boolean>;
  /** Closes the log of a run that this process has no longer. Its readers continue from the store. */
  leave(writer: RunWriter): Promise<void>;
  /** Returns the log of a run that is active in this process. */
  active(runId: string): EventLog | undefined;
  /** True while this process executes a run: its log is open, and not only to end it. */
  isExecuting(runId: string): boolean;
  /** Returns the stored events after an id, at most 1 000; an empty list if there is none. */
  page(runId: string, after?: string): Promise<readonly RecordedEvent[]>;
  /** Returns every stored event of a run. */
  read(runId: string): Promise<readonly RecordedEvent[]>;
  /** Returns the stored events of a run with the calls in its journal. */
  recordOf(runId: string): Promise<RunRecord>;
  /** Unpins every artifact of an ended run, so that the next sweep removes those without other pins. */
  release(runId: string): Promise<void>;
}

/** Options of {@link createRunRecorder}. */
export interface RunRecorderOptions {
  readonly hooks: HookManager;
  readonly store: Pick<CompleteStateStore, 'events' | 'history' | 'journal' | 'runs'>;
  readonly blobStore: BlobStore;
  /** Removes secrets from event data. By default nothing is removed. */
  readonly redact?: (data: JsonObject) => JsonObject;
  /** Without prices no event has a cost. Read for each event. */
  readonly prices?: PriceTable | undefined;
  /** True if a run is about to be resumed apart from other runs that may be the cause of crashes. By default none is. */
  readonly isAlone?: (runId: string) => boolean;
  /** Called when a run makes progress, and when this process executes it no longer. */
  readonly onProgress?: (runId: string) => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Types of the events of a run that hooks report, also those of calls by scripts. */
const recordedTypes = [
  'step-start',
  'step-end',
  'tool-call',
  'tool-retry',
  'tool-result',
  'approval-requested',
  'approval-decided',
  'artifact',
  'console',
  'model-end',
  'model-lent',
  'handoff',
  'run-input',
  'completion-requested',
  'completion-ended',
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
  const {
    hooks,
    store,
    blobStore,
    redact = (data) => data,
    isAlone = () => false,
    onProgress = () => {},
    clock,
    logger,
  } = options;
  const stored = createStoredEvents(store);
  const logs = new Map<string, EventLog>();
  /** Number of console lines that a resumed script will write again. */
  const repeatedLines = new Map<string, number>();
  const lostCalls = new Map<string, LostCalls>();
  /** Runs whose logs are open only to end them. */
  const ending = new Set<string>();
  /** Ids of the last events that were stored when the logs were opened. */
  const bases = new Map<string, string | undefined>();
  const pins = new Set<Promise<void>>();
  const tick = createStoreTick();

  function pin({ runId, ref }: RunEventOf<'artifact'>): void {
    const pinning: Promise<void> = blobStore
      .pin(ref, keeperOf(runId))
      .catch((error: unknown) => logger.error('an artifact of a run could not be pinned', { runId, error }))
      .finally(() => pins.delete(pinning));
    pins.add(pinning);
  }

  // A resumed script runs from its beginning and writes its earlier lines again.
  function isRepeated(runId: string, { parentId }: EventScope): boolean {
    const left = repeatedLines.get(runId) ?? 0;
    if (parentId !== undefined || left === 0) return false;
    repeatedLines.set(runId, left - 1);
    return true;
  }

  function record(event: RunEventOf<(typeof recordedTypes)[number]>): void {
    const { runId } = event;
    const log = logs.get(runId);
    if (log === undefined || (event.type === 'console' && isRepeated(runId, event))) return;
    const lost = lostCalls.get(runId);
    if (lost?.take(event) === false) return;
    if (lost?.isProgress(event) === true) onProgress(runId);
    log.append(event.type === 'model-end' ? withCost(event, options.prices) : event);
    if (event.type === 'artifact') pin(event);
  }

  const unsubscribe = recordedTypes.map((type) => hooks.observe(type, record));

  function openLog(runId: string, known: readonly RecordedEvent[]): EventLog {
    const base = known.at(-1)?.id;
    const log = createEventLog({ runId, events: store.events, clock, logger, tick, redact, base });
    remember(runId, known);
    // An end that was begun with an earlier log concerns this one no more.
    ending.delete(runId);
    logs.set(runId, log);
    return log;
  }

  function remember(runId: string, known: readonly RecordedEvent[]): void {
    bases.set(runId, known.at(-1)?.id);
    repeatedLines.set(runId, known.filter(isLineOfRun).length);
    lostCalls.set(runId, createLostCalls(known));
  }

  // The log is opened before the run is claimed, and until then its previous process stores events.
  async function catchUp(runId: string): Promise<void> {
    for (;;) {
      const more = await stored.page(runId, bases.get(runId));
      const last = more.at(-1)?.id;
      if (last === undefined) return;
      bases.set(runId, last);
      logs.get(runId)?.follow(last);
      repeatedLines.set(runId, (repeatedLines.get(runId) ?? 0) + more.filter(isLineOfRun).length);
      lostCalls.get(runId)?.learn(more);
    }
  }

  // Every call in the events has an end before the run has.
  async function endLostCalls(runId: string): Promise<void> {
    const lost = lostCalls.get(runId);
    if (lost === undefined || lost.isEmpty) return;
    const { calls } = await stored.recordOf(runId);
    const results = await resultsInHistory(store, runId, lost.unjournaled(calls));
    lostCalls.delete(runId);
    for (const event of lost.ends(calls, results)) logs.get(runId)?.append(event);
  }

  async function reopen(runId: string): Promise<EventLog> {
    return openLog(runId, await stored.load(runId));
  }

  async function close(runId: string): Promise<void> {
    // Also if the log could not be opened.
    onProgress(runId);
    const log = logs.get(runId);
    if (log === undefined) return;
    // A run whose end is not stored continues in another process, and so do its readers.
    await log.hold().catch(() => {});
    // The run was resumed meanwhile, with a new log.
    if (logs.get(runId) !== log) return;
    logs.delete(runId);
    for (const each of [bases, repeatedLines, lostCalls, ending]) each.delete(runId);
    log.close();
  }

  async function open(
    runId: string,
    { isNew = false }: { readonly isNew?: boolean } = {},
  ): Promise<EventLog | undefined> {
    if (isOpen(runId)) return undefined;
    const known = isNew ? [] : await stored.load(runId);
    return isOpen(runId) ? undefined : openLog(runId, known);
  }

  const logOf = (runId: string): EventLog | undefined => logs.get(runId);
  // The log of an earlier attempt may not have been removed yet.
  const isOpen = (runId: string): boolean => logs.get(runId)?.isClosed === false;
  const recorded = createRecordedRuns({
    runs: store.runs,
    logOf,
    reopen,
    catchUp,
    hasEvents: (runId) => bases.get(runId) !== undefined,
    close,
    endLostCalls,
    redact,
    isAlone,
    clock,
  });
  return {
    runs: recorded.runs,
    leave: ({ runId, epoch }) => recorded.leave(runId, epoch),
    open,
    close,
    async claimToEnd(runId, holder) {
      const log = await open(runId);
      if (log === undefined) return false;
      ending.add(runId);
      const claimed = await store.runs.claim(runId, holder).catch(async (error: unknown) => {
        await close(runId);
        throw error;
      });
      if (claimed === undefined) {
        await close(runId);
        return false;
      }
      await catchUp(runId);
      log.begin({ owner: holder.owner, epoch: claimed.epoch });
      return true;
    },
    active: logOf,
    isExecuting: (runId) => isOpen(runId) && !ending.has(runId),
    page: stored.page,
    read: stored.load,
    recordOf: stored.recordOf,
    async release(runId) {
      for (const ref of await stored.artifactsOf(runId)) {
        for (const owner of [keeperOf(runId), runId]) await blobStore.unpin(ref, owner);
      }
    },
    async [Symbol.asyncDispose]() {
      for (const stop of unsubscribe) stop();
      await Promise.all([...logs.values()].map((log) => log.hold().catch(() => {})));
      for (const log of logs.values()) log.close();
      logs.clear();
      await Promise.all(pins);
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
