import type { Logger, Run } from '@ravi/kernel';
import type { AgentRunner } from './agent-runner.ts';

/** Options of {@link createRecoverAgentRun}. */
export interface RecoverAgentRunOptions {
  readonly agentRunner: AgentRunner;
  readonly logger: Logger;
}

/**
 * Creates a function that recovers a run of the agent whose process ended. It resolves once the run is active here, not when it
 * ends; a run that is active already and one of another agent are left alone.
 */
export function createRecoverAgentRun({ agentRunner, logger }: RecoverAgentRunOptions): (run: Run) => Promise<void> {
  async function follow(runId: string, result: ReturnType<AgentRunner['recover']>): Promise<void> {
    const { status } = await (await result).result;
    logger.info('run recovered', { runId, status });
  }

  return async (run) => {
    const { id: runId } = run;
    if (!agentRunner.owns(run) || agentRunner.has(runId)) return;
    const recovering = agentRunner.recover(run);
    follow(runId, recovering).catch((error: unknown) => logger.error('run could not be recovered', { runId, error }));
  };
}
