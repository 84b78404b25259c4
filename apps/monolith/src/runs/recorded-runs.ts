import type { Clock, JsonObject, Run, RunEventOf, RunHolder, RunStore, RunTransition } from '@ravi/kernel';
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
  /** True if the store had events of a run when its log was opened or caught up. */
  readonly hasEvents: (runId: string) => boolean;
  /** Closes the log of a run, once everything is stored. */
  readonly close: (runId: string) => Promise<void>;
  /** Adds the ends of calls that an earlier process began, before the run ends. */
  readonly endLostCalls: (runId: string) => Promise<void>;
  readonly redact: (data: JsonObject) => JsonObject;
  /** True if the run is about to be resumed apart from other runs that may be the cause of crashes. */
  readonly isAlone: (runId: string) => boolean;
  readonly clock: Clock;
}

/** A run store whose runs have logs. */
export interface RecordedRuns {
  readonly runs: RunStore;
  /** Closes the log of a run that this process has no longer, if it is in this epoch. */
  leave(runId: string, epoch: number): Promise<void>;
}

/**
 * Wraps a run store so that the log of a run knows its owner and epoch, and every end is stored before readers receive it:
 * first the events that wait, then the end in the transaction that ends the run. The start of each later attempt is stored in the
 * transaction of its claim, so that an attempt whose process ends at once counts too.
 */
export function createRecordedRuns(options: RecordedRunsOptions): RecordedRuns {
  const { runs, logOf, reopen, catchUp, hasEvents, close, endLostCalls, redact, isAlone, clock } = options;
  /** Sub-agents, whose logs are open while this process has their runs. */
  const subAgents = new Set<string>();

  async function begin(run: Run, { owner, above }: RunHolder, isNew: boolean): Promise<void> {
    const known = logOf(run.id);
    if (known?.isClosed === false && known.epoch === run.epoch) return;
    const isOwn = isSubAgent(run);
    if (isOwn) subAgents.add(run.id);
    const log = known === undefined ? await openOwn(run.id, isOwn) : await current(run.id, known);
    if (log === undefined) return;
    if (log === known && !isNew) await catchUp(run.id);
    // After a lost reply a run is created by its claim.
    const isFirst = isNew || (run.epoch === 1 && !hasEvents(run.id));
    // The runner of an agent adds the start of a new outermost run.
    if (isFirst && (run.definition.kind === 'chain' || isOwn)) log.append({ ...startOf(run, above), ...taskOf(run) });
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
    if (log === undefined || log.isClosed) {
      const isChanged = await runs.transition(id, redacted);
      // It closed because the store refused an event: an earlier attempt, whose reply was lost, had changed the run.
      if (log !== undefined && logOf(id) === log) await leave(id, change.epoch);
      return isChanged;
    }
    if (change.to !== 'paused' && change.to !== 'blocked') await endLostCalls(id);
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
  function shown<Event extends RunEventOf<'run-start' | 'run-end' | 'run-paused'>>(event: Event): Event {
    const { type, runId, sessionId, ...data } = event;
    return { type, runId, sessionId, ...redact(data as unknown as JsonObject) } as unknown as Event;
  }

  function restartOf(run: Run, { above }: RunHolder): RunEventOf<'run-start'> | undefined {
    // Its events belong to the run above.
    if (run.definition.kind === 'chain' && run.parentRunId !== undefined) return undefined;
    // A queued run begins now.
    if (run.epoch === 0) return { ...startOf(run, above), ...taskOf(run) };
    const interrupted = run.status === 'running' ? { wasInterrupted: true } : {};
    const alone = isAlone(run.id) ? { isAlone: true } : {};
    return { ...startOf(run, above), isResumed: true, ...interrupted, ...alone };
  }

  const recorded: RunStore = {
    async create(run, holder) {
      const created = await runs.create(run, holder);
      if (holder !== undefined) await begin(created, holder, true);
      return created;
    },
    async claim(id, request) {
      const known = await runs.get(id);
      const event = known === undefined ? undefined : restartOf(known, request);
      const start = event === undefined ? {} : { start: { event: shown(event), now: clock.now() } };
      const claimed = await runs.claim(id, { ...request, ...start });
      if (claimed !== undefined) await begin(claimed, request, false);
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
    listFree: (page) => runs.listFree(page),
    listHeld: (owner) => runs.listHeld(owner),
    listPaused: (page) => runs.listPaused(page),
    listAnswered: (expiredSince, page) => runs.listAnswered(expiredSince, page),
    countPaused: (principal, atMost) => runs.countPaused(principal, atMost),
  };
  return { runs: recorded, leave };
}

function isSubAgent({ definition, parentRunId }: Run): boolean {
  return definition.kind === 'agent' && parentRunId !== undefined;
}

function startOf(run: Run, above: RunHolder['above']): RunEventOf<'run-start'> {
  const { id: runId, sessionId, parentRunId, definition } = run;
  const scope = { type: 'run-start', runId, sessionId } as const;
  if (definition.kind === 'chain') return { ...scope, kind: 'chain' };
  const { agent, callId } = definition.details ?? {};
  return {
    ...scope,
    kind: 'agent',
    ...(typeof agent === 'string' ? { agent } : {}),
    ...(typeof callId === 'string' ? { parentId: callId } : {}),
    ...(above !== undefined && above.runId === parentRunId ? { aboveEpoch: above.epoch } : {}),
  };
}

function taskOf({ definition }: Run): { readonly task?: string } {
  const task = definition.kind === 'chain' ? undefined : definition.details?.['task'];
  return typeof task === 'string' ? { task } : {};
}
