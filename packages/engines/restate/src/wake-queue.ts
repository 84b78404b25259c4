import { handlers, object, rpc, TimeoutError } from '@restatedev/restate-sdk';
import type { ObjectContext, ObjectSharedContext, VirtualObjectDefinition } from '@restatedev/restate-sdk';
import type { RunSignal } from '@ravi/kernel';
import type {
  ListenRequest,
  RequestContext,
  SyncReply,
  SyncRequest,
  WakeReply,
  WakeRequest,
} from './queue-protocol.ts';
import { deadKey, headKey, openRecords } from './queue-records.ts';
import type { HeadRecord, QueueRecords } from './queue-records.ts';
import { openQueueWorkers } from './queue-workers.ts';
import type { QueueWorkers } from './queue-workers.ts';
import { openReadyRuns } from './ready-runs.ts';
import type { ReadyRuns } from './ready-runs.ts';
import { openWaitingWakes } from './waiting-wakes.ts';
import type { WaitingWakes } from './waiting-wakes.ts';

/** Request about the dead wake of a run. */
export interface DeadRequest extends RequestContext {
  readonly runId: string;
}

/** Request of a timer; it has the limit of the request that started it. */
export interface DueRequest {
  readonly bucket: number;
  readonly groupLimit?: number;
}

/** Request of the timer that checks a worker. */
export interface CheckRequest {
  readonly worker: string;
  readonly heartbeatMs: number;
  readonly groupLimit?: number;
}

/** Handlers of the queue of an installation. Each but `listen` and `ping` runs alone. */
export type WakeQueueHandlers = {
  wake(ctx: ObjectContext, request: WakeRequest): Promise<WakeReply>;
  sync(ctx: ObjectContext, request: SyncRequest): Promise<SyncReply>;
  signal(ctx: ObjectContext, signal: RunSignal): Promise<void>;
  retryDead(ctx: ObjectContext, request: DeadRequest): Promise<boolean>;
  removeDead(ctx: ObjectContext, request: DeadRequest): Promise<boolean>;
  due(ctx: ObjectContext, request: DueRequest): Promise<void>;
  check(ctx: ObjectContext, request: CheckRequest): Promise<void>;
  subscribe(ctx: ObjectContext, request: { readonly worker: string; readonly ear: string }): Promise<boolean>;
  listen(ctx: ObjectSharedContext, request: ListenRequest): Promise<void>;
  ping(ctx: ObjectSharedContext): Promise<void>;
};

/** Key of the one object of the service. */
export const queueKey = 'wakes';

/** Syncs of a live worker come more often than checks, and two checks in a row without one mean that it is dead. */
const checksPerHeartbeat = 3;

/** Attempts of more than thirty years. */
const unlimited = 1_000_000_000;
const silenceMs = 2_000;
const maxRetryMs = 1_000;

/** Longest time in milliseconds for which a request stays with a process that is gone, once another one executes requests. */
export const requestHoldMs: number = 2 * silenceMs + maxRetryMs;

interface OpenQueue {
  readonly records: QueueRecords;
  readonly head: HeadRecord;
  readonly ready: ReadyRuns;
  readonly waiting: WaitingWakes;
  readonly workers: QueueWorkers;
}

/**
 * Defines the queue as a virtual object of Restate: its state is in Restate, its requests run one after the other, and any process may execute
 * them.
 */
export function defineWakeQueue(service: string): VirtualObjectDefinition<string, WakeQueueHandlers> {
  const self: VirtualObjectDefinition<string, WakeQueueHandlers> = { name: service };

  /** Opens the state of the queue, and writes it after the body. */
  async function change<Result>(
    ctx: ObjectContext,
    { at = 0, groupLimit }: Partial<RequestContext>,
    body: (queue: OpenQueue) => Promise<Result>,
  ): Promise<Result> {
    const records = openRecords(ctx);
    await records.load([headKey]);
    const head = records.get(headKey) ?? { lastNumber: 0, at: 0, waiting: 0, workers: {} };
    head.at = Math.max(head.at, at);
    // Every request may change it.
    records.set(headKey, head);
    const limit = groupLimit === undefined ? {} : { groupLimit };
    const ready = openReadyRuns(records, groupLimit ?? Infinity);
    const waiting = openWaitingWakes({
      records,
      ready,
      startTimer: (bucket, delayMs) =>
        ctx.objectSendClient(self, ctx.key).due({ bucket, ...limit }, rpc.sendOpts({ delay: delayMs })),
    });
    const workers = openQueueWorkers({ records, ready, waiting, ring: (ear) => ctx.resolveAwakeable(ear) });
    const result = await body({ records, head, ready, waiting, workers });
    records.write();
    return result;
  }

  function checkLater(ctx: ObjectContext, { worker, heartbeatMs, groupLimit }: CheckRequest): void {
    const request = { worker, heartbeatMs, ...(groupLimit === undefined ? {} : { groupLimit }) };
    const delay = Math.ceil(heartbeatMs / checksPerHeartbeat);
    ctx.objectSendClient(self, ctx.key).check(request, rpc.sendOpts({ delay }));
  }

  const wakeQueue: WakeQueueHandlers = {
    wake: (ctx, request) =>
      change(ctx, request, async ({ head, waiting, ready, workers }) => {
        const { wakes, takeOver, maxRuns, at } = request;
        const runIds = wakes.map(({ runId }) => runId);
        const added = await waiting.countNew(runIds);
        if (added > 0 && head.waiting + added > maxRuns) return { full: head.waiting };
        if (takeOver) await workers.takeAway(runIds);
        await waiting.add(
          wakes.map((wake) => ({ wake, attempts: 0 })),
          at,
        );
        workers.notify(ready.availableVersions());
        return {};
      }),
    sync: (ctx, request) =>
      change(ctx, request, async ({ records, waiting, ready, workers }) => {
        const { worker, isNew, isLeaving, ended, held, at } = request;
        const wasKnown = await workers.meet(request);
        if (!wasKnown) checkLater(ctx, request);
        const released = new Set((await workers.release(ended)).map(({ claim }) => claim.token));
        const current = ended.filter(({ token }) => released.has(token));
        await waiting.add(
          current.flatMap(({ next }) => next ?? []),
          at,
        );
        for (const { runId, dead } of current) if (dead !== undefined) records.set(deadKey(runId), dead);
        const owned = new Set(workers.tokensOf(worker));
        const lost = held.filter((token) => !owned.has(token));
        const runs = isLeaving ? [] : await workers.give(request);
        const signals = workers.readMail(request);
        if (isLeaving) await workers.remove(worker);
        workers.notify(ready.availableVersions(), worker);
        return { runs, lost, signals, wasUnknown: !wasKnown && !isNew };
      }),
    signal: (ctx, signal) => change(ctx, {}, ({ workers }) => workers.signal(signal)),
    retryDead: (ctx, request) =>
      change(ctx, request, async ({ records, waiting, ready, workers }) => {
        const { runId, at } = request;
        await records.load([deadKey(runId)]);
        const dead = records.get(deadKey(runId));
        if (dead === undefined) return false;
        records.remove(deadKey(runId));
        const { notBefore: _notBefore, priority = 0, ...wake } = dead.wake;
        await waiting.add([{ wake: { ...wake, priority, reason: 'retried', delayMs: 0 }, attempts: 0 }], at);
        workers.notify(ready.availableVersions());
        return true;
      }),
    removeDead: (ctx, request) =>
      change(ctx, request, async ({ records }) => {
        await records.load([deadKey(request.runId)]);
        if (records.get(deadKey(request.runId)) === undefined) return false;
        records.remove(deadKey(request.runId));
        return true;
      }),
    due: (ctx, request) =>
      change(ctx, request, async ({ waiting, ready, workers }) => {
        await waiting.becomeDue(request.bucket);
        workers.notify(ready.availableVersions());
      }),
    check: (ctx, request) =>
      change(ctx, request, async ({ head, ready, workers }) => {
        const entry = head.workers[request.worker];
        if (entry === undefined) return;
        entry.missedChecks = entry.beats === entry.checkedBeats ? entry.missedChecks + 1 : 0;
        entry.checkedBeats = entry.beats;
        if (entry.missedChecks < 2) return checkLater(ctx, request);
        await workers.remove(request.worker);
        workers.notify(ready.availableVersions());
      }),
    subscribe: (ctx, { worker, ear }) =>
      change(ctx, {}, async ({ head }) => {
        const entry = head.workers[worker];
        if (entry === undefined || entry.hasNews) return true;
        if (entry.ear !== undefined) ctx.resolveAwakeable(entry.ear);
        entry.ear = ear;
        return false;
      }),
    async listen(ctx, { worker, waitMs }) {
      const { id, promise } = ctx.awakeable();
      if (await ctx.objectClient(self, ctx.key).subscribe({ worker, ear: id })) return;
      try {
        await promise.orTimeout(waitMs);
      } catch (error) {
        if (!(error instanceof TimeoutError)) throw error;
      }
    },
    ping: async () => {},
  };

  return object({
    name: service,
    handlers: {
      ...wakeQueue,
      // Only the queue sends these.
      due: handlers.object.exclusive({ ingressPrivate: true }, wakeQueue.due),
      check: handlers.object.exclusive({ ingressPrivate: true }, wakeQueue.check),
      subscribe: handlers.object.exclusive({ ingressPrivate: true }, wakeQueue.subscribe),
      // It waits for long: then Restate needs no connection for it.
      listen: handlers.object.shared({ inactivityTimeout: 10_000 }, wakeQueue.listen),
      ping: handlers.object.shared(wakeQueue.ping),
    },
    options: {
      // Values are read when they are needed, because the whole state may be large.
      enableLazyState: true,
      // Nothing of a request stays after its end.
      journalRetention: 0,
      // A process that was suspended in a request keeps the queue for both times.
      inactivityTimeout: silenceMs,
      abortTimeout: silenceMs,
      // A request waits for a process that executes it. Without a number of its own, Restate would pause it after those of its configuration, and
      // with it the queue.
      retryPolicy: { initialInterval: 50, exponentiationFactor: 2, maxInterval: maxRetryMs, maxAttempts: unlimited },
    },
  }) as VirtualObjectDefinition<string, WakeQueueHandlers>;
}
