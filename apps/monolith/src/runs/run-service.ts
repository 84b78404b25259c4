import type { HookManager } from '@ravi/invoker';
import { busySession, findLiveRun } from '@ravi/agents';
import type { QuestionAnswer } from '@ravi/agents';
import { RunProblem } from './run-problem.ts';
import type { DurableChainRequest, DurableChains } from '@ravi/capabilities';
import { isKernelError, KernelError } from '@ravi/kernel';
import { retryWhileUnavailable } from '@ravi/support';
import type { Clock, Job, Logger, Run, CompleteStateStore } from '@ravi/kernel';
import type { AgentRequest, AgentRunner } from './agent-runner.ts';
import { addressAbove, outermostOf } from './outermost-run.ts';
import type { PausedRunLimit } from './paused-run-limit.ts';
import type { StartSlots } from './start-slots.ts';

/** Starts and ends runs of both kinds. It does not check permissions. */
export interface RunService {
  /**
   * Starts the agent and resolves with the run once it is stored. With `mayWait`, a run for which this process has no slot is queued, and
   * any server begins it.
   * @throws RunProblem `E_SESSION_BUSY` if its session has another live run
   * @throws KernelError `E_BUSY` if the principal has as many paused runs as it may; `E_BUDGET_EXHAUSTED` if a budget of the day is used up
   */
  startAgent(request: AgentRequest, options?: StartOptions): Promise<Run>;
  /**
   * Starts a script and resolves with the run once it is stored, like {@link RunService.startAgent}.
   * @throws KernelError `E_BUSY` if the principal has as many paused runs as it may
   */
  startChain(request: DurableChainRequest, options?: StartOptions): Promise<Run>;
  /**
   * Cancels a run. The run above a sub-agent continues, and its model reads that the user cancelled the sub-agent. If another process
   * executes the run, the request is recorded for it.
   * @throws KernelError `E_STATE_CONFLICT` if it has ended
   */
  cancel(run: Run): Promise<Run>;
  /** Cancels a run that this process executes, or a paused one. Resolves with false if another process has it, or it has ended. */
  cancelHere(run: Run): Promise<boolean>;
  /**
   * Cancels a job. If another process executes its run, the request is recorded for it.
   * @throws KernelError `E_STATE_CONFLICT` if it has ended
   */
  cancelJob(job: Job): Promise<void>;
  /**
   * Cancels a job: at once if its run is active here, else in the store if no process executes it. Resolves with false if another process
   * does, or the job has ended.
   */
  cancelJobHere(job: Job): Promise<boolean>;
  /**
   * Offers a blocked run, or the outermost run above it, to all servers again. @throws KernelError `E_STATE_CONFLICT` if it is not
   * blocked
   */
  retry(run: Run): Promise<Run>;
  /** Resumes a run in the background, together with all runs above it. @throws KernelError as `ReActAgent.resume` */
  resumeAgent(run: Run, answer: QuestionAnswer): Promise<Run>;
}

/** Options of a start. */
export interface StartOptions {
  /** True if no client waits for the run in this process. */
  readonly mayWait?: boolean;
}

/** Options of {@link createRunService}. */
export interface RunServiceOptions {
  readonly store: CompleteStateStore;
  readonly chains: DurableChains;
  readonly agentRunner: AgentRunner;
  readonly pausedRuns: PausedRunLimit;
  readonly startSlots: StartSlots;
  /** Called before an agent starts. @throws KernelError `E_BUDGET_EXHAUSTED` */
  readonly admit: (request: AgentRequest) => Promise<void>;
  readonly hooks: HookManager;
  /** Ends the waits for the store when it aborts. */
  readonly lifetime: AbortSignal;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Creates the run service of a process over its state store. */
export function createRunService(options: RunServiceOptions): RunService {
  const { store, chains, agentRunner, pausedRuns, startSlots, admit, hooks, lifetime, clock, logger } = options;

  async function recorded(runId: string): Promise<Run> {
    const run = await store.runs.get(runId);
    if (run === undefined) throw new KernelError('E_STATE_UNAVAILABLE', 'The run could not be stored');
    return run;
  }

  // A repeated request names the run that the first one started.
  async function startedBefore({ runId }: { readonly runId?: string }): Promise<Run | undefined> {
    return runId === undefined ? undefined : store.runs.get(runId);
  }

  /** Starts a run once, also if its request is repeated while this or another server starts it. */
  async function startOnce(request: { readonly runId?: string }, start: () => Promise<Run>): Promise<Run> {
    const known = await startedBefore(request);
    if (known !== undefined) return known;
    try {
      return await start();
    } catch (error) {
      const mayExist = isKernelError(error, 'E_STATE_CONFLICT') || isKernelError(error, 'E_SESSION_BUSY');
      const other = mayExist ? await startedBefore(request) : undefined;
      if (other === undefined) throw error;
      return other;
    }
  }

  function inBackground(runId: string, result: Promise<unknown>, slot?: Disposable): void {
    result
      .catch((error: unknown) => {
        const isSuspended = isKernelError(error, 'E_RUN_SUSPENDED');
        if (isSuspended) logger.info('a run was released; another server, or the next start, continues it', { runId });
        else logger.error('a run failed', { runId, error });
      })
      .finally(() => slot?.[Symbol.dispose]());
  }

  // The engine may have given it to this or another process before.
  async function beginQueued(runId: string): Promise<void> {
    try {
      const run = await store.runs.get(runId);
      if (run?.status !== 'running' || run.epoch > 0) return;
      if (run.definition.kind === 'chain') await chains.resume(runId);
      else await (await agentRunner.recover(run)).result;
    } catch (error) {
      if (isKernelError(error, 'E_STATE_CONFLICT') || isKernelError(error, 'E_RUN_SUSPENDED')) return;
      logger.warn('a queued run did not begin here; it is woken again', { runId, error });
      // The wake that was sent when it was stored may have found it active here.
      const wakeAgain = (): Promise<void> => store.wakes.send([runId], 'retried');
      await retryWhileUnavailable(wakeAgain, { clock, signal: lifetime }).catch(() => {});
    }
  }

  async function cancelPaused(run: Run): Promise<boolean> {
    const error = { code: 'E_CANCELLED', message: reasonFor(run), retryable: false };
    const { id: runId, sessionId } = run;
    const event = { type: 'run-end', runId, sessionId, status: 'cancelled', error } as const;
    // A queued run has not begun. One that a process begins now has another epoch.
    const isQueued = run.status === 'running' && run.epoch === 0;
    const held = isQueued ? ({ from: ['running'], epoch: 0 } as const) : ({ from: ['paused', 'blocked'] } as const);
    const change = { ...held, to: 'cancelled', now: clock.now(), outcome: { error }, event } as const;
    const isCancelled = await store.runs.transition(run.id, change);
    if (isCancelled && run.parentRunId !== undefined) wakeInBackground(run.parentRunId);
    return isCancelled;
  }

  function wakeInBackground(runId: string): void {
    wake(runId).catch((error: unknown) => {
      // Another process was faster, or this one is shutting down.
      const isLeft = isKernelError(error, 'E_STATE_CONFLICT') || isKernelError(error, 'E_RUN_SUSPENDED');
      if (!isLeft) logger.error('a run could not be woken', { runId, error });
    });
  }

  // A run that is paused for a question continues if the sub-agent or the job that asked was cancelled.
  async function wake(runId: string): Promise<void> {
    const { id } = (await outermostAbove(runId)) ?? {};
    if (id === undefined) return;
    // It may still run here, and pause later.
    await agentRunner.settled(id);
    const run = await store.runs.get(id);
    if (run?.status !== 'paused' || !agentRunner.owns(run) || agentRunner.has(id)) return;
    const { result } = await agentRunner.recover(run);
    inBackground(id, result);
  }

  async function outermostAbove(runId: string): Promise<Run | undefined> {
    const run = await store.runs.get(runId);
    return run === undefined ? undefined : outermostOf(store.runs, run);
  }

  async function cancelHere(run: Run): Promise<boolean> {
    const outermost = await outermostOf(store.runs, run);
    const ending =
      outermost.id === run.id
        ? agentRunner.cancel(run.id)
        : agentRunner.cancelBelow(outermost.id, run.id, reasonFor(run));
    // The run may be pausing at this moment, which a cancellation does not stop.
    ending
      ?.then(({ status }) => (status === 'paused' ? cancelPaused(run) : false))
      // Another process was faster to begin it.
      .catch(() => store.cancellations.request({ runId: run.id, requestedAt: clock.now() }))
      .catch((error: unknown) => logger.error('a cancellation could not be recorded', { runId: run.id, error }));
    return ending !== undefined || chains.cancel(run.id) || (await cancelPaused(run));
  }

  async function cancelJobHere({ id, runId, version: known }: Job): Promise<boolean> {
    const reason = 'The job was cancelled';
    const outermostId = runId === undefined ? undefined : ((await outermostAbove(runId))?.id ?? runId);
    if (outermostId !== undefined && (await agentRunner.stopJob(outermostId, id, reason))) return true;
    const { version = known } = (await store.jobs.get(id)) ?? {};
    const isCancelled = (await store.jobs.cancel(id, { version, now: clock.now(), reason })) !== undefined;
    if (isCancelled && runId !== undefined) wakeInBackground(runId);
    return isCancelled;
  }

  return {
    startAgent: (request, { mayWait = false } = {}) =>
      startOnce(request, async () => {
        const { sessionId, principal = 'local' } = request;
        const live = sessionId === undefined ? undefined : await findLiveRun(store.runs, { sessionId, principal });
        if (live !== undefined) throw new RunProblem(busySession(live), live.id);
        await pausedRuns.check(principal);
        await admit(request);
        const slot = startSlots.take('agents', principal);
        if (slot === undefined && mayWait) {
          const run = await agentRunner.enqueue(request);
          startSlots.wait('agents', principal, () => beginQueued(run.id));
          return run;
        }
        const starting = agentRunner.start(request);
        starting.catch(() => slot?.[Symbol.dispose]());
        const { runId, result } = await starting;
        inBackground(runId, result, slot);
        return recorded(runId);
      }),
    startChain: (request, { mayWait = false } = {}) =>
      startOnce(request, async () => {
        const { runId = `run_${crypto.randomUUID()}`, principal = 'local' } = request;
        await pausedRuns.check(principal);
        const slot = startSlots.take('scripts', principal);
        if (slot === undefined && mayWait) {
          const run = await chains.enqueue({ ...request, runId });
          startSlots.wait('scripts', principal, () => beginQueued(runId));
          return run;
        }
        const { promise: opened, resolve } = Promise.withResolvers<void>();
        const stop = hooks.observe('session-opened', (payload) => {
          if (payload.runId === runId) resolve();
        });
        try {
          const result = chains.start({ ...request, runId });
          inBackground(runId, result, slot);
          await Promise.race([opened, result]);
        } finally {
          stop();
        }
        return recorded(runId);
      }),
    cancelHere,
    async cancel(run) {
      const { id: runId } = run;
      const isEnding =
        (await cancelHere(run)) || (await store.cancellations.request({ runId, requestedAt: clock.now() }));
      const now = await recorded(runId);
      if (!isEnding)
        throw new KernelError('E_STATE_CONFLICT', `Run ${runId} is ${now.status}, so it cannot be cancelled`);
      return now;
    },
    cancelJobHere,
    async cancelJob(job) {
      const { id: jobId, runId } = job;
      if (await cancelJobHere(job)) return;
      const requestedAt = clock.now();
      if (runId !== undefined && (await store.cancellations.request({ runId, jobId, requestedAt }))) return;
      const { status } = (await store.jobs.get(jobId)) ?? job;
      throw new KernelError('E_STATE_CONFLICT', `Job ${jobId} is ${status}, so it cannot be cancelled`);
    },
    async retry(run) {
      const outermost = await outermostOf(store.runs, run);
      // Found changed here before, it would be left as it is, neither working nor blocked.
      chains.forgetChanged();
      // Without a lease, so that the next poll of each server finds it.
      const change = { from: ['blocked'], to: 'running', now: clock.now() } as const;
      if (await store.runs.transition(outermost.id, change)) return recorded(run.id);
      const { status } = await recorded(outermost.id);
      throw new KernelError(
        'E_STATE_CONFLICT',
        `Run ${outermost.id} is ${status}, not blocked; there is nothing to retry`,
      );
    },
    async resumeAgent(run, answer) {
      const outermost = await addressAbove(store, { run, answer });
      const { result } = await agentRunner.resume(outermost.run, outermost.answer);
      inBackground(outermost.run.id, result);
      return recorded(run.id);
    },
  };
}

// The model of the run above reads it.
function reasonFor({ parentRunId }: Run): string {
  return parentRunId === undefined ? 'The run was cancelled' : 'The user cancelled the run';
}
