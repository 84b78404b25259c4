import { isKernelError } from '@ravi/kernel';
import type { RunStore } from '@ravi/kernel';
import { RunProblem } from '../../runs/run-problem.ts';

/** Errors of a run that is stored and continues: the process shuts down, or no sandbox takes the script now. */
const codesOfStoredRuns: ReadonlySet<string> = new Set(['E_RUN_SUSPENDED', 'E_SANDBOX_UNAVAILABLE']);

/**
 * Returns the result of a run that its client waits for. If the process shuts down first, or no sandbox is available, the error names the
 * run, which continues later.
 * @throws RunProblem `E_RUN_SUSPENDED` or `E_SANDBOX_UNAVAILABLE` if the run is stored, and every other error as it is
 */
export async function nameSuspendedRun<Result>(
  runs: Pick<RunStore, 'get'>,
  runId: string,
  result: Promise<Result>,
): Promise<Result> {
  try {
    return await result;
  } catch (error) {
    if (!isKernelError(error) || !codesOfStoredRuns.has(error.code)) throw error;
    const run = await runs.get(runId).catch(() => undefined);
    throw run === undefined ? error : new RunProblem(error, runId);
  }
}

/** Returns the id of a new run. */
export function newRunId(): string {
  return `run_${crypto.randomUUID()}`;
}

/** Returns the id that a request with an `Idempotency-Key` has for its run, as an option. */
export function runIdOf(keyed: { readonly runId: string } | undefined): { readonly runId?: string } {
  return keyed === undefined ? {} : { runId: keyed.runId };
}
