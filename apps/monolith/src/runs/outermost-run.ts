import type { QuestionAnswer } from '@ravi/agents';
import { KernelError } from '@ravi/kernel';
import type { Run, RunStore } from '@ravi/kernel';

/** An answer to the questions of a run. */
export interface AddressedAnswer {
  readonly run: Run;
  readonly answer: QuestionAnswer;
}

/**
 * Returns an answer to a sub-agent as one to the outermost run above it, which asks the question of the sub-agent under a longer id.
 * @throws KernelError from the store
 */
export async function addressAbove(
  runs: Pick<RunStore, 'get'>,
  { run, answer }: AddressedAnswer,
): Promise<AddressedAnswer> {
  if (run.parentRunId === undefined) return { run, answer };
  const above = await runs.get(run.parentRunId);
  if (above === undefined) throw new KernelError('E_STATE_CONFLICT', `The run above ${run.id} is not stored any more`);
  const callId = run.definition.details?.['callId'];
  if (typeof answer === 'string' || typeof callId !== 'string') return addressAbove(runs, { run: above, answer });
  const entries = Object.entries(answer).map(([id, text]) => [`${callId}.${id}`, text]);
  return addressAbove(runs, { run: above, answer: Object.fromEntries(entries) });
}

/** Returns the outermost run above a run; the run itself if there is none. @throws KernelError from the store */
export async function outermostOf(runs: Pick<RunStore, 'get'>, run: Run): Promise<Run> {
  const above = run.parentRunId === undefined ? undefined : await runs.get(run.parentRunId);
  return above === undefined ? run : outermostOf(runs, above);
}
