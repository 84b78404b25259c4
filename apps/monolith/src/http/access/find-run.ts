import type { Run, RunStore } from '@ravi/kernel';
import { maySee } from './caller.ts';
import type { ApiRequest } from '../core/implement.ts';
import { problem } from '../core/problem.ts';

/** Returns a run that the caller may see. @throws KernelError `E_RUN_NOT_FOUND`, also for a run of another principal */
export async function findRun(runs: RunStore, { caller }: Pick<ApiRequest, 'caller'>, runId: string): Promise<Run> {
  const run = await runs.get(runId);
  if (run === undefined || !maySee(caller, run.principal))
    throw problem('E_RUN_NOT_FOUND', `There is no run "${runId}"`);
  return run;
}
