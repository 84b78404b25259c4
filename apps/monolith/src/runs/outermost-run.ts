import type { QuestionAnswer } from '@ravi/agents';
import { KernelError } from '@ravi/kernel';
import type { CompleteStateStore, Question, Run, RunStore } from '@ravi/kernel';
import { createStoredEvents } from './stored-events.ts';

/** An answer to the questions of a run. */
export interface AddressedAnswer {
  readonly run: Run;
  readonly answer: QuestionAnswer;
}

/** Stores of the runs and their events. */
export type RunsWithEvents = Pick<CompleteStateStore, 'runs' | 'events' | 'journal'>;

/**
 * Returns an answer to a sub-agent as one to the outermost run above it, which asks the question of the sub-agent under a longer id.
 * An answer without the id of a question gets that of the only question of the sub-agent, because the outermost run may ask another one.
 * @throws KernelError `E_STATE_CONFLICT` if the sub-agent has no open question, `E_ARGUMENTS_INVALID` if an answer without an id is for
 * several, and the errors of the store
 */
export async function addressAbove(store: RunsWithEvents, { run, answer }: AddressedAnswer): Promise<AddressedAnswer> {
  const { id, parentRunId, definition } = run;
  if (parentRunId === undefined) return { run, answer };
  const above = await store.runs.get(parentRunId);
  const callId = definition.details?.['callId'];
  if (above === undefined || typeof callId !== 'string') {
    throw new KernelError('E_STATE_CONFLICT', `The run above ${id} is not stored any more, or does not ask for it`);
  }
  const named = typeof answer === 'string' ? { [(await onlyQuestionOf(store, run)).callId]: answer } : answer;
  const entries = Object.entries(named).map(([question, text]) => [`${callId}.${question}`, text]);
  return addressAbove(store, { run: above, answer: Object.fromEntries(entries) });
}

async function onlyQuestionOf(store: RunsWithEvents, { id, status }: Run): Promise<Question> {
  const events = status === 'paused' ? await createStoredEvents(store).load(id) : [];
  const [question, ...others] = events.findLast((event) => event.type === 'run-paused')?.data.questions ?? [];
  if (question === undefined) throw new KernelError('E_STATE_CONFLICT', `Run ${id} has no open question`);
  if (others.length === 0) return question;
  const ids = [question, ...others].map(({ callId }) => callId).join(', ');
  throw new KernelError('E_ARGUMENTS_INVALID', `Run ${id} has several questions. Answer each by its callId: ${ids}`);
}

/** Returns the outermost run above a run; the run itself if there is none. @throws KernelError from the store */
export async function outermostOf(runs: Pick<RunStore, 'get'>, run: Run): Promise<Run> {
  const above = run.parentRunId === undefined ? undefined : await runs.get(run.parentRunId);
  return above === undefined ? run : outermostOf(runs, above);
}
