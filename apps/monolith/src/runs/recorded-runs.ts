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
  /** Adds what the previous process stored after the log of a run was opened. */
  readonly catchUp: (runId: string) => Promise<void>;
  /** Closes the log of a run, once everything is stored. */
  readonly close: (runId: string) => Promise<void>;
  /** Adds the ends of calls that an earlier process began, before the run ends. */
  readonly endLostCalls: (runId: string) => Promise<void>;
  readonly redact: (data: JsonObject) => JsonObject;
}

/**
 * Wraps a run store so that the log of a run knows its owner and epoch, and every end is stored before readers receive it:
 * first the events that wait, then the end in the transaction that ends the run.
 */
export function createRecordedRuns(options: RecordedRunsOptions): RunStore {
  const { runs, logOf, reopen, catchUp, close, endLostCalls, redact } = options;
  /** Sub-agents, whose logs are open while this process has their runs. */
  const subAgents = new Set<string>();

  async function begin(run: Run, { owner }: LeaseRequest): Promise<void> {
    const known = logOf(run.id);
    if (known?.isClosed === false && known.epoch === run.epoch) return;
    const isOwn = isSubAgent(run);
    if (isOwn) subAgents.add(run.id);
    const log = known === undefined ? await openOwn(run.id, isOwn) : await current(run.id, known);
    if (log === undefined) return;
    if (log === known && run.epoch > 1) await catchUp(run.id);
    if (run.definition.kind === 'chain' || isOwn) log.append(startOf(run));
    log.begin({ owner, epoch: run.epoch });
  }

  async function openOwn(id: string, isOwn: boolean): Promise<EventLog | undefined> {
    return isOwn ? reopen(id) : undefined;
  }

  // A log that has begun has the events of an earlier epoch, whose end this process may not know.
  async function current(id: string, known: EventLog): Promise<EventLog> {
    if (!known.isClosed && known.epoch === undefined) return known;
    known.close();
    return reopen(id);
  }

  /** Closes the log of a run that this process executes no longer. Its readers continue from the store. */
  async function leave(id: string, epoch: number | undefined): Promise<void> {
    const log = logOf(id);
    if (log?.epoch === undefined || (epoch !== undefined && log.epoch !== epoch)) return;
    log.close();
    await left(id);
  }

  async function left(id: string): Promise<void> {
    if (subAgents.delete(id)) await close(id);
  }

  // An earlier attempt, whose reply was lost, may have changed the run.
  async function hasChanged(id: string, { to, epoch }: RunTransition): Promise<boolean> {
    const run = await runs.get(id);
    return run?.status === to && (epoch === undefined || run.epoch === epoch);
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
    if (isChanged) await left(id);
    else if (await hasChanged(id, change)) await leave(id, change.epoch);
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
    async release(id, owner, epoch) {
      const log = logOf(id);
      log?.append({ type: 'run-suspended' });
      // The next process continues without an event that the store does not take.
      await log?.hold().catch(() => {});
      log?.close();
      await left(id);
      return runs.release(id, owner, epoch);
    },
    get: (id) => runs.get(id),
    list: (filter, page) => runs.list(filter, page),
    async renew(id, request) {
      const isOurs = await runs.renew(id, request);
      if (!isOurs) await leave(id, request.epoch);
      return isOurs;
    },
    listExpired: (page) => runs.listExpired(page),
    listPaused: (page) => runs.listPaused(page),
    listAnswered: (expiredSince, page) => runs.listAnswered(expiredSince, page),
    countPaused: (principal, atMost) => runs.countPaused(principal, atMost),
    listOwners: () => runs.listOwners(),
    expireLeases: (owner) => runs.expireLeases(owner),
  };
}

function isSubAgent({ definition, parentRunId }: Run): boolean {
  return definition.kind === 'agent' && parentRunId !== undefined;
}

function startOf({ epoch, status, definition }: Run): RecordableEvent {
  const resumed = epoch > 1 ? { isResumed: true } : {};
  const interrupted = epoch > 1 && status === 'running' ? { wasInterrupted: true } : {};
  if (definition.kind === 'chain') return { type: 'run-start', kind: 'chain', ...resumed, ...interrupted };
  const { agent, task, callId } = definition.details ?? {};
  const facts = {
    ...(typeof agent === 'string' ? { agent } : {}),
    ...(typeof task === 'string' ? { task } : {}),
    ...(typeof callId === 'string' ? { parentId: callId } : {}),
  };
  return { type: 'run-start', kind: 'agent', ...facts, ...resumed, ...interrupted };
}
