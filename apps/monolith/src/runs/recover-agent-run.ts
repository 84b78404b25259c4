import { isKernelError } from '@ravi/kernel';
import type { Logger, Run, RunStore } from '@ravi/kernel';
import type { AgentRunner } from './agent-runner.ts';

/** Options of {@link createRecoverAgentRun}. */
export interface RecoverAgentRunOptions {
  readonly agentRunner: AgentRunner;
  readonly runs: Pick<RunStore, 'get'>;
  /** Called when this process executes a recovered run no longer, also if another process was faster. By default nothing happens. */
  readonly onLeft?: (runId: string) => void;
  readonly logger: Logger;
}

/**
 * Creates a function that recovers a run of the agent whose process ended, until it ends or is paused here. A run that is active already
 * and one of another agent are left alone. It rejects with a retryable error if the run is as it was.
 */
export function createRecoverAgentRun({
  agentRunner,
  runs,
  onLeft = () => {},
  logger,
}: RecoverAgentRunOptions): (run: Run) => Promise<void> {
  async function follow(runId: string, result: ReturnType<AgentRunner['recover']>): Promise<void> {
    try {
      const { status } = await (await result).result;
      logger.info('run recovered', { runId, status });
    } catch (error) {
      logger.error('run could not be recovered', { runId, error });
      // The run is as it was, so the engine asks again.
      if (isKernelError(error) && error.retryable) throw error;
    } finally {
      onLeft(runId);
    }
  }

  // A paused run is active only until its log has closed. No poll finds it again if its last request was withdrawn.
  async function isFree({ id, status, epoch }: Run): Promise<boolean> {
    if (!agentRunner.has(id)) return true;
    if (status !== 'paused') return false;
    await agentRunner.settled(id);
    const now = await runs.get(id);
    return now?.status === 'paused' && now.epoch === epoch && !agentRunner.has(id);
  }

  return async (run) => {
    if (!agentRunner.owns(run) || !(await isFree(run))) return;
    await follow(run.id, agentRunner.recover(run));
  };
}
