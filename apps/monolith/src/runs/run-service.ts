import type { HookManager } from '@ravi/invoker';
import { busySession, findLiveRun } from '@ravi/agents';
import type { QuestionAnswer } from '@ravi/agents';
import { RunProblem } from './run-problem.ts';
import type { DurableChainRequest, DurableChains } from '@ravi/capabilities';
import { isKernelError, KernelError } from '@ravi/kernel';
import type { Clock, Job, Logger, Run, CompleteStateStore } from '@ravi/kernel';
import type { AgentRequest, AgentRunner } from './agent-runner.ts';
import { addressAbove } from './outermost-run.ts';
import type { PausedRunLimit } from './paused-run-limit.ts';

/** Starts and ends runs of both kinds. It does not check permissions. */
export interface RunService {
  /**
   * Starts the agent and resolves with the run once it is stored.
   * @throws RunProblem `E_SESSION_BUSY` if its session has another live run
   * @throws KernelError `E_BUSY` if the principal has as many paused runs as it may
   */
  startAgent(request: AgentRequest): Promise<Run>;
  /**
   * Starts a script and resolves with the run once it is stored.
   * @throws KernelError `E_BUSY` if the principal has as many paused runs as it may
   */
  startChain(request: DurableChainRequest): Promise<Run>;
  /** Cancels a run. @throws KernelError `E_STATE_CONFLICT` if it has ended or another process runs it */
  cancel(run: Run): Promise<Run>;
  /**
   * Cancels a job: at once if its run is active here, else in the store if no process runs it.
   * @throws KernelError `E_STATE_CONFLICT` if it has ended or another process runs it
   */
  cancelJob(job: Job): Promise<void>;
  /** Resumes a run in the background, together with all runs above it. @throws KernelError as `ReActAgent.resume` */
  resumeAgent(run: Run, answer: QuestionAnswer): Promise<Run>;
}

/** Options of {@link createRunService}. */
export interface RunServiceOptions {
  readonly store: CompleteStateStore;
  readonly chains: DurableChains;
  readonly agentRunner: AgentRunner;
  readonly pausedRuns: PausedRunLimit;
  readonly hooks: HookManager;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Creates the run service of a process over its state store. */
export function createRunService(options: RunServiceOptions): RunService {
  const { store, chains, agentRunner, pausedRuns, hooks, clock, logger } = options;

  async function recorded(runId: string): Promise<Run> {
    const run = await store.runs.get(runId);
    if (run === undefined) throw new KernelError('E_STATE_UNAVAILABLE', 'The run could not be stored');
    return run;
  }

  // A repeated request names the run that the first one started.
  async function startedBefore({ runId }: { readonly runId?: string }): Promise<Run | undefined> {
    return runId === undefined ? undefined : store.runs.get(runId);
  }

  function inBackground(runId: string, result: Promise<unknown>): void {
    result.catch((error: unknown) => {
      const isSuspended = isKernelError(error, 'E_RUN_SUSPENDED');
      if (isSuspended) logger.info('a run waits, and continues after the next start of a server', { runId });
      else logger.error('a run failed', { runId, error });
    });
  }

  async function cancelPaused(run: Run): Promise<boolean> {
    const error = { code: 'E_CANCELLED', message: 'The run was cancelled', retryable: false };
    const { id: runId, sessionId } = run;
    const event = { type: 'run-end', runId, sessionId, status: 'cancelled', error } as const;
    const change = { from: ['paused'], to: 'cancelled', now: clock.now(), outcome: { error }, event } as const;
    return store.runs.transition(run.id, change);
  }

  return {
    async startAgent(request) {
      const known = await startedBefore(request);
      if (known !== undefined) return known;
      const { sessionId, principal = 'local' } = request;
      const live = sessionId === undefined ? undefined : await findLiveRun(store.runs, { sessionId, principal });
      if (live !== undefined) throw new RunProblem(busySession(live), live.id);
      await pausedRuns.check(principal);
      const { runId, result } = await agentRunner.start(request);
      inBackground(runId, result);
      return recorded(runId);
    },
    async startChain(request) {
      const known = await startedBefore(request);
      if (known !== undefined) return known;
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
    },
    async cancel(run) {
      const ending = agentRunner.cancel(run.id);
      // The run may be pausing at this moment, which a cancellation does not stop.
      ending?.then(({ status }) => (status === 'paused' ? cancelPaused(run) : false)).catch(() => {});
      const isEnding = ending !== undefined || chains.cancel(run.id) || (await cancelPaused(run));
      if (!isEnding)
        throw new KernelError('E_STATE_CONFLICT', `Run ${run.id} is ${run.status} and is not running in this process`);
      return recorded(run.id);
    },
    async cancelJob(job) {
      const { id, runId, status } = job;
      const reason = 'The job was cancelled';
      if (runId !== undefined && (await agentRunner.stopJob(runId, id, reason))) return;
      const { version = job.version } = (await store.jobs.get(id)) ?? {};
      // It wakes a run that is paused for what the call of the job waited for.
      if ((await store.jobs.cancel(id, { version, now: clock.now(), reason })) !== undefined) return;
      throw new KernelError('E_STATE_CONFLICT', `Job ${id} is ${status} and cannot be cancelled in this process`);
    },
    async resumeAgent(run, answer) {
      const outermost = await addressAbove(store.runs, { run, answer });
      const { id: runId, sessionId, principal } = outermost.run;
      const { result } = await agentRunner.resume({ runId, sessionId, principal }, outermost.answer);
      inBackground(runId, result);
      return recorded(run.id);
    },
  };
}
