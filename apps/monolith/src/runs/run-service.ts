import type { HookManager } from '@ravi/invoker';
import { busySession, findLiveRun } from '@ravi/agents';
import type { QuestionAnswer } from '@ravi/agents';
import { RunProblem } from './run-problem.ts';
import type { DurableChainRequest, DurableChains } from '@ravi/capabilities';
import { isKernelError, KernelError } from '@ravi/kernel';
import type { Clock, Job, Logger, Run, CompleteStateStore } from '@ravi/kernel';
import type { AgentRequest, AgentRunner } from './agent-runner.ts';
import { addressAbove, outermostOf } from './outermost-run.ts';
import type { PausedRunLimit } from './paused-run-limit.ts';

/** Starts and ends runs of both kinds. It does not check permissions. */
export interface RunService {
  /**
   * Starts the agent and resolves with the run once it is stored.
   * @throws RunProblem `E_SESSION_BUSY` if its session has another live run
   * @throws KernelError `E_BUSY` if the principal has as many paused runs as it may; `E_BUDGET_EXHAUSTED` if a budget of the day is used up
   */
  startAgent(request: AgentRequest): Promise<Run>;
  /**
   * Starts a script and resolves with the run once it is stored.
   * @throws KernelError `E_BUSY` if the principal has as many paused runs as it may
   */
  startChain(request: DurableChainRequest): Promise<Run>;
  /**
   * Cancels a run. The run above a sub-agent continues, and its model reads that the user cancelled the sub-agent.
   * @throws KernelError `E_STATE_CONFLICT` if it has ended or another process runs it
   */
  cancel(run: Run): Promise<Run>;
  /**
   * Cancels a job: at once if its run is active here, else in the store if no process runs it.
   * @throws KernelError `E_STATE_CONFLICT` if it has ended or another process runs it
   */
  cancelJob(job: Job): Promise<void>;
  /**
   * Offers a blocked run, or the outermost run above it, to all servers again. @throws KernelError `E_STATE_CONFLICT` if it is not
   * blocked
   */
  retry(run: Run): Promise<Run>;
  /** Resumes a run in the background, together with all runs above it. @throws KernelError as `ReActAgent.resume` */
  resumeAgent(run: Run, answer: QuestionAnswer): Promise<Run>;
}

/** Options of {@link createRunService}. */
export interface RunServiceOptions {
  readonly store: CompleteStateStore;
  readonly chains: DurableChains;
  readonly agentRunner: AgentRunner;
  readonly pausedRuns: PausedRunLimit;
  /** Called before an agent starts. @throws KernelError `E_BUDGET_EXHAUSTED` */
  readonly admit: (request: AgentRequest) => Promise<void>;
  readonly hooks: HookManager;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Creates the run service of a process over its state store. */
export function createRunService(options: RunServiceOptions): RunService {
  const { store, chains, agentRunner, pausedRuns, admit, hooks, clock, logger } = options;

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

  function inBackground(runId: string, result: Promise<unknown>): void {
    result.catch((error: unknown) => {
      const isSuspended = isKernelError(error, 'E_RUN_SUSPENDED');
      if (isSuspended) logger.info('a run waits, and continues after the next start of a server', { runId });
      else logger.error('a run failed', { runId, error });
    });
  }

  async function cancelPaused(run: Run): Promise<boolean> {
    const error = { code: 'E_CANCELLED', message: reasonFor(run), retryable: false };
    const { id: runId, sessionId } = run;
    const event = { type: 'run-end', runId, sessionId, status: 'cancelled', error } as const;
    const from = ['paused', 'blocked'] as const;
    const change = { from, to: 'cancelled', now: clock.now(), outcome: { error }, event } as const;
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

  return {
    startAgent: (request) =>
      startOnce(request, async () => {
        const { sessionId, principal = 'local' } = request;
        const live = sessionId === undefined ? undefined : await findLiveRun(store.runs, { sessionId, principal });
        if (live !== undefined) throw new RunProblem(busySession(live), live.id);
        await pausedRuns.check(principal);
        await admit(request);
        const { runId, result } = await agentRunner.start(request);
        inBackground(runId, result);
        return recorded(runId);
      }),
    startChain: (request) =>
      startOnce(request, async () => {
        const { runId = `run_${crypto.randomUUID()}`, principal = 'local' } = request;
        await pausedRuns.check(principal);
        const { promise: opened, resolve } = Promise.withResolvers<void>();
        const stop = hooks.observe('session-opened', (payload) => {
          if (payload.runId === runId) resolve();
        });
        try {
          const result = chains.start({ ...request, runId });
          inBackground(runId, result);
          await Promise.race([opened, result]);
        } finally {
          stop();
        }
        return recorded(runId);
      }),
    async cancel(run) {
      const outermost = await outermostOf(store.runs, run);
      const ending =
        outermost.id === run.id
          ? agentRunner.cancel(run.id)
          : agentRunner.cancelBelow(outermost.id, run.id, reasonFor(run));
      // The run may be pausing at this moment, which a cancellation does not stop.
      ending?.then(({ status }) => (status === 'paused' ? cancelPaused(run) : false)).catch(() => {});
      const isEnding = ending !== undefined || chains.cancel(run.id) || (await cancelPaused(run));
      if (!isEnding) throw new KernelError('E_STATE_CONFLICT', notHere(run, outermost));
      return recorded(run.id);
    },
    async cancelJob(job) {
      const { id, runId, status } = job;
      const reason = 'The job was cancelled';
      const outermostId = runId === undefined ? undefined : ((await outermostAbove(runId))?.id ?? runId);
      if (outermostId !== undefined && (await agentRunner.stopJob(outermostId, id, reason))) return;
      const { version = job.version } = (await store.jobs.get(id)) ?? {};
      const isCancelled = (await store.jobs.cancel(id, { version, now: clock.now(), reason })) !== undefined;
      if (isCancelled && runId !== undefined) wakeInBackground(runId);
      if (isCancelled) return;
      const above = outermostId === undefined || outermostId === runId ? '' : `; it works for run ${outermostId}`;
      throw new KernelError(
        'E_STATE_CONFLICT',
        `Job ${id} is ${status} and cannot be cancelled in this process${above}`,
      );
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

function notHere({ id, status }: Run, outermost: Run): string {
  const message = `Run ${id} is ${status} and is not running in this process`;
  if (outermost.id === id || outermost.outcome !== undefined) return message;
  return `${message}. It works for run ${outermost.id}: cancel it, or that run, on the server that runs them`;
}
