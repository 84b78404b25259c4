import type { RecordableEvent } from '@ravi/api';
import type { JsonObject, LeaseRequest, Run, RunStore, RunTransition } from '@ravi/kernel';
import type { EventLog } from './event-log.ts';

/** Options of {@link createRecordedRuns}. */
export interface RecordedRunsOptions {
  readonly runs: RunStore;
  /** Returns the log of a run that this process executes or is about to execute. */
  readonly logOf: (runId: string) => EventLog | undefined;
  /** Returns an empty log in place of a closed one: the run continues after a pause. */
  readonly reopen: (runId: string) => Promise<EventLog>;
  /** Adds the ends of calls that an earlier process began, before the run ends. */
  readonly endLostCalls: (runId: string) => Promise<void>;
  readonly redact: (data: JsonObject) => JsonObject;
}

/**
 * Wraps a run store so that the log of a run knows its owner and epoch, and every end is stored before readers receive it:
 * first the events that wait, then the end in the transaction that ends the run.
 */
export function createRecordedRuns({ runs, logOf, reopen, endLostCalls, redact }: RecordedRunsOptions): RunStore {
  async function begin(run: Run, { owner }: LeaseRequest): Promise<void> {
    const known = logOf(run.id);
    const log = known?.isClosed === true ? await reopen(run.id) : known;
    if (log === undefined || log.hasBegun) return;
    if (run.definition.kind === 'chain') log.append(startOfScript(run));
    log.begin({ owner, epoch: run.epoch });
  }

  async function transition(id: string, change: RunTransition): Promise<boolean> {
    const log = change.to === 'running' ? undefined : logOf(id);
    const event = change.event === undefined ? {} : { event: shown(change.event) };
    const redacted = { ...change, ...event };
    if (log === undefined || log.isClosed) return runs.transition(id, redacted);
    if (change.to !== 'paused') await endLostCalls(id);
    await log.hold();
    let isChanged = false;
    try {
      isChanged = await runs.transition(id, redacted);
    } finally {
      if (!isChanged) log.resume();
    }
    if (isChanged && redacted.event !== undefined) log.end(redacted.event, change.now);
    return isChanged;
  }

  // The store keeps what it is given.
  function shown(event: NonNullable<RunTransition['event']>): NonNullable<RunTransition['event']> {
    const { type, runId, sessionId, ...data } = event;
    return { type, runId, sessionId, ...redact(data as unknown as JsonObject) } as unknown as typeof event;
  }

  return {
    async create(run, lease) {
      const created = await runs.create(run, lease);
      if (lease !== undefined) await begin(created, lease);
      return created;
    },
    async claim(id, request) {
      const claimed = await runs.claim(id, request);
      if (claimed !== undefined) await begin(claimed, request);
      return claimed;
    },
    transition,
    async release(id, owner) {
      const log = logOf(id);
      log?.append({ type: 'run-suspended' });
      // The next process continues without an event that the store does not take.
      await log?.hold().catch(() => {});
      log?.close();
      return runs.release(id, owner);
    },
    get: (id) => runs.get(id),
    list: (filter, page) => runs.list(filter, page),
    renew: (id, request) => runs.renew(id, request),
    listExpired: (page) => runs.listExpired(page),
    listPaused: (page) => runs.listPaused(page),
    listAnswered: (expiredSince, page) => runs.listAnswered(expiredSince, page),
    listOwners: () => runs.listOwners(),
    expireLeases: (owner) => runs.expireLeases(owner),
  };
}

function startOfScript({ epoch, status }: Run): RecordableEvent {
  const resumed = epoch > 1 ? { isResumed: true } : {};
  const interrupted = epoch > 1 && status === 'running' ? { wasInterrupted: true } : {};
  return { type: 'run-start', kind: 'chain', ...resumed, ...interrupted };
}
