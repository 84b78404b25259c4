import { provisionalTypes } from '@ravi/api';
import type { RecordableEvent, RecordedEvent } from '@ravi/api';
import { isKernelError } from '@ravi/kernel';
import type { Clock, JsonObject, Logger, NewRunEvent, RunEventStore, RunEventWriter, Timer } from '@ravi/kernel';
import { createShownEvents, formatEventId, parseEventId } from './shown-events.ts';
import type { EventPosition } from './shown-events.ts';
import type { StoreTick } from './store-tick.ts';

/**
 * Events of one run while this process executes it. An event is shown to readers once it is stored; those for display are
 * shown in their place and not stored. Each reader keeps its own position, so a slow one delays no other.
 */
export interface EventLog {
  /** True if no further event follows. */
  readonly isClosed: boolean;
  /** Epoch of the run in which this process stores events; `undefined` before {@link EventLog.begin}. */
  readonly epoch: number | undefined;
  append(event: RecordableEvent): void;
  /** Makes the log follow a newer event, which the previous process stored before it lost the run. Call it before `begin`. */
  follow(id: string): void;
  /** Starts to store events: this process has the run. */
  begin(writer: RunEventWriter): void;
  /**
   * Resolves when every event so far is stored, or the run belongs to another process. Later events wait until `resume`,
   * and an end drops them, so that the end is the last event.
   * @throws KernelError `E_STATE_UNAVAILABLE` if the store does not respond; the events wait for it
   */
  hold(): Promise<void>;
  resume(): void;
  /** Resolves when every event so far is stored, or this process stores no more: the log is held or closed. */
  stored(): Promise<void>;
  /** Shows the last event, which the store has numbered as the next one, and closes the log. */
  end(event: RecordableEvent, at: number): void;
  /** Returns the events after a position, oldest first; `undefined` if they are no longer in memory, or not yet. */
  after(position: EventPosition): readonly RecordedEvent[] | undefined;
  /** Calls `wake` at each shown event and when the log closes, until the returned function is called. */
  subscribe(wake: () => void): () => void;
  close(): void;
}

/** Options of {@link createEventLog}. */
export interface EventLogOptions {
  readonly runId: string;
  readonly events: RunEventStore;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Joins the events of all runs of the process into transactions. */
  readonly tick: StoreTick;
  /** Redacts the data of an event. */
  readonly redact: (data: JsonObject) => JsonObject;
  /** Id of the last event that is stored already; absent for a new run. */
  readonly base?: string | undefined;
}

interface Waiting extends Omit<NewRunEvent, 'n'> {
  readonly isProvisional: boolean;
}

// Of one run, while the store is unavailable.
const maxWaiting = 10_000;
const maxWaitingProvisional = 1_000;
const maxBatch = 256;
const firstDelayMs = 25;
const maxDelayMs = 1_000;

/** Creates the log of a run that this process starts or resumes. */
export function createEventLog({ runId, events, clock, logger, tick, redact, base }: EventLogOptions): EventLog {
  const shown = createShownEvents(base);
  let newest = base;
  let waiting: Waiting[] = [];
  let dropped = 0;
  let writer: RunEventWriter | undefined;
  let n = 0;
  let isClosed = false;
  let isStoring = false;
  let isHeld = false;
  let delayMs = firstDelayMs;
  let retry: Timer | undefined;
  let attempt: PromiseWithResolvers<void> | undefined;
  /** Callers of `stored`, by the last event that they wait for. */
  const awaited = new Map<Waiting, PromiseWithResolvers<void>>();
  const listeners = new Set<() => void>();

  function wakeAll(): void {
    for (const wake of listeners) wake();
  }

  function add(event: RecordableEvent): void {
    const isProvisional = provisionalTypes.has(event.type);
    if (isProvisional && waiting.length >= maxWaitingProvisional) return;
    if (waiting.length >= maxWaiting) waiting = waiting.filter((each) => !each.isProvisional);
    if (waiting.length >= maxWaiting) return void dropped++;
    waiting.push({ ...recordOf(event, redact), at: clock.now(), isProvisional });
  }

  // Says in the record that it has a gap.
  function addNote(): void {
    const text = `${dropped} events were not recorded, because the state store did not respond`;
    dropped = 0;
    add({ type: 'console', level: 'warn', text });
  }

  async function store(): Promise<void> {
    if (isStoring || isHeld || writer === undefined || retry !== undefined) return;
    isStoring = true;
    try {
      while (waiting.length > 0 && !isClosed) {
        const batch = waiting.slice(0, maxBatch);
        await write(batch, writer);
        waiting = waiting.slice(batch.length);
        for (const { isProvisional, ...event } of batch) {
          shown.add(event, isProvisional ? undefined : formatEventId({ epoch: writer.epoch, n: ++n }));
        }
        wakeAll();
        settleStored(batch);
        if (waiting.length === 0 && dropped > 0) addNote();
        if (waiting.length < maxBatch && attempt === undefined) break;
      }
      delayMs = firstDelayMs;
      if (waiting.length === 0 || isClosed) settle();
      else tick.add(storeNow);
    } catch (error) {
      onFailure(error);
    } finally {
      isStoring = false;
    }
  }

  function storeNow(): void {
    void store();
  }

  async function write(batch: readonly Waiting[], to: RunEventWriter): Promise<void> {
    const lasting = batch.filter(({ isProvisional }) => !isProvisional);
    if (lasting.length === 0) return;
    const numbered = lasting.map(({ at, type, data }, index) => ({ n: n + 1 + index, at, type, data }));
    await events.append(runId, to, numbered);
  }

  function onFailure(error: unknown): void {
    if (!isKernelError(error, 'E_STATE_UNAVAILABLE')) {
      const isTaken = isKernelError(error, 'E_STATE_CONFLICT');
      if (!isTaken) logger.error('events of a run could not be stored', { runId, error });
      // Another process has the run, and its readers continue from the store.
      return close();
    }
    if (delayMs === firstDelayMs) logger.warn('events of a run wait for the store', { runId });
    retry = clock.setTimer(
      () => {
        retry = undefined;
        void store();
      },
      delayMs,
      { isBackground: true },
    );
    delayMs = Math.min(2 * delayMs, maxDelayMs);
    settle(error);
  }

  function settle(error?: unknown): void {
    if (attempt === undefined) return;
    isHeld = error === undefined;
    if (isHeld) attempt.resolve();
    else attempt.reject(error);
    attempt = undefined;
    if (isHeld) settleStored(awaited.keys());
  }

  function settleStored(events: Iterable<Waiting>): void {
    for (const event of events) {
      awaited.get(event)?.resolve();
      awaited.delete(event);
    }
  }

  function close(): void {
    isClosed = true;
    waiting = [];
    retry?.cancel();
    settle();
    settleStored(awaited.keys());
    wakeAll();
  }

  return {
    get isClosed() {
      return isClosed;
    },
    get epoch() {
      return writer?.epoch;
    },
    append(event) {
      if (isClosed) return;
      add(event);
      // Counts the process if it crashes soon after it.
      if (event.type === 'run-start') storeNow();
      else tick.add(storeNow);
    },
    follow(id) {
      newest = id;
      shown.follow(id);
      wakeAll();
    },
    begin(holder) {
      if (writer === undefined) {
        writer = holder;
        const stored = newest === undefined ? undefined : parseEventId(newest);
        // A process that claims a run that it still has continues its epoch.
        if (stored?.epoch === holder.epoch) n = stored.n;
      }
      void store();
    },
    hold() {
      if (isClosed || writer === undefined || isHeld) return Promise.resolve();
      attempt ??= Promise.withResolvers<void>();
      const { promise } = attempt;
      retry?.cancel();
      retry = undefined;
      void store();
      return promise;
    },
    resume() {
      isHeld = false;
      void store();
    },
    stored() {
      const last = waiting.findLast(({ isProvisional }) => !isProvisional);
      if (last === undefined || isClosed || isHeld || writer === undefined) return Promise.resolve();
      const wait = awaited.get(last) ?? Promise.withResolvers<void>();
      awaited.set(last, wait);
      void store();
      return wait.promise;
    },
    end(event, at) {
      if (isClosed || writer === undefined) return;
      shown.add({ ...recordOf(event, redact), at }, formatEventId({ epoch: writer.epoch, n: ++n }));
      close();
    },
    after: (position) => shown.after(position),
    subscribe(wake) {
      listeners.add(wake);
      return () => void listeners.delete(wake);
    },
    close,
  };
}

function recordOf(
  { type, runId: _run, sessionId: _session, ...data }: RecordableEvent,
  redact: EventLogOptions['redact'],
): Omit<NewRunEvent, 'n' | 'at'> {
  return { type, data: redact(data as unknown as JsonObject) };
}
