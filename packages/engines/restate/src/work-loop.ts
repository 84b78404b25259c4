import type { Clock, Logger, RunSignal, Timer } from '@ravi/kernel';
import { failureText } from '@ravi/engine-kit';
import type { EndedRun, GivenRun, SyncReply } from './queue-protocol.ts';
import type { QueueClient } from './queue-client.ts';

/** Options of {@link startWorkLoop}. */
export interface WorkLoopOptions {
  readonly versions: readonly string[];
  readonly slots: number;
  readonly queue: QueueClient;
  readonly heartbeatMs: number;
  readonly groupLimit?: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Handles a run and returns its end. It never rejects. */
  handle(run: GivenRun, signal: AbortSignal): Promise<EndedRun>;
  /** Returns the end of a run that was given while the loop stops. */
  giveBack(run: GivenRun): EndedRun;
  onSignal(signal: RunSignal): void;
}

/** Loop that fills the slots of a worker. Disposing it waits for its handlers. */
export interface WorkLoop extends AsyncDisposable {
  /** Resolves when the queue keeps signals for the worker. After a failure it does so later, and the worker receives `missed` then. */
  readonly announced: Promise<void>;
  /** Aborts the signals of all handlers. */
  abortAll(): void;
}

/** Syncs within the time after which the queue gives up a worker. */
const syncsPerHeartbeat = 8;
const listenMs = 30_000;
const retryMs = 500;
const maxLeaveAttempts = 2;

/** Starts to take runs: one sync after the other, when there is something to report, when the queue has news, and as a heartbeat. */
export function startWorkLoop(options: WorkLoopOptions): WorkLoop {
  const { slots, queue, heartbeatMs, groupLimit, clock, logger, handle, giveBack, onSignal } = options;
  const worker = crypto.randomUUID();
  const held = new Map<string, AbortController>();
  const handlers = new Set<Promise<void>>();
  const listener = new AbortController();
  let { versions } = options;
  let ended: EndedRun[] = [];
  let heard = 0;
  let isNew = true;
  let isStopped = false;
  let isOver = false;
  let isFailing = false;
  let hasWork = true;
  let proceed: (() => void) | undefined;
  const { promise: announced, resolve: onAnnounced } = Promise.withResolvers<void>();

  function look(): void {
    hasWork = true;
    proceed?.();
  }

  function pause(limitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const go = (): void => {
        timer.cancel();
        proceed = undefined;
        resolve();
      };
      const timer: Timer = clock.setTimer(go, limitMs, { isBackground: true });
      proceed = go;
    });
  }

  async function sync(isLeaving: boolean): Promise<void> {
    // A copy: handlers end during the request.
    const reported = [...ended];
    // Handlers whose runs others have by now still take their slots.
    const free = isStopped ? 0 : slots - handlers.size;
    const isFirst = isNew;
    // If this attempt fails, signals may be lost until the next one.
    isNew = false;
    const reply = await queue.sync({
      worker,
      isNew: isFirst,
      isLeaving,
      versions,
      free,
      held: [...held.keys()],
      ended: reported,
      heard,
      heartbeatMs,
      at: clock.now(),
      ...(groupLimit === undefined ? {} : { groupLimit }),
    });
    ended = ended.filter((end) => !reported.includes(end));
    if (!isLeaving) receive(reply);
  }

  function receive({ runs, lost, signals, wasUnknown }: SyncReply): void {
    for (const token of lost) {
      held.get(token)?.abort();
      held.delete(token);
    }
    for (const run of runs) {
      if (isStopped) ended.push(giveBack(run));
      else begin(run);
    }
    if (ended.length > 0) hasWork = true;
    const last = runs.at(-1)?.wake.version;
    if (last !== undefined) versions = [...versions.filter((version) => version !== last), last];
    if (wasUnknown) {
      heard = 0;
      onSignal({ type: 'missed' });
    }
    for (const { number, signal } of signals) {
      if (number <= heard) continue;
      heard = number;
      onSignal(signal);
    }
  }

  function begin(run: GivenRun): void {
    const controller = new AbortController();
    held.set(run.token, controller);
    const handler = handle(run, controller.signal).then((end) => {
      handlers.delete(handler);
      // Without its claim, there is nothing to report.
      if (held.delete(run.token)) ended.push(end);
      look();
    });
    handlers.add(handler);
  }

  async function run(): Promise<void> {
    while (!isOver) {
      if (!hasWork) await pause(heartbeatMs / syncsPerHeartbeat);
      if (isOver) return;
      hasWork = false;
      try {
        await sync(false);
        isFailing = false;
        onAnnounced();
      } catch (error) {
        if (!isFailing) logger.warn('the engine cannot take runs; it tries again', { error: failureText(error) });
        isFailing = true;
        onAnnounced();
        await pause(retryMs);
        hasWork = true;
      }
    }
  }

  async function listen(): Promise<void> {
    while (!isOver) {
      try {
        await queue.listen({ worker, waitMs: listenMs }, listener.signal);
        look();
      } catch {
        // The syncs report an outage.
        if (!isOver) await new Promise<void>((resolve) => clock.setTimer(resolve, retryMs, { isBackground: true }));
      }
    }
  }

  async function leave(): Promise<void> {
    for (let attempt = 1; attempt <= maxLeaveAttempts; attempt++) {
      try {
        return await sync(true);
      } catch (error) {
        if (attempt < maxLeaveAttempts) continue;
        logger.warn('the engine could not give its runs back; others get them after the heartbeat', {
          error: failureText(error),
        });
      }
    }
  }

  const running = run();
  const listening = listen();
  return {
    announced,
    abortAll() {
      for (const controller of held.values()) controller.abort();
    },
    async [Symbol.asyncDispose]() {
      isStopped = true;
      look();
      await Promise.all(handlers);
      isOver = true;
      onAnnounced();
      proceed?.();
      await running;
      await leave();
      listener.abort();
      await listening;
    },
  };
}
