import { isKernelError } from '@ravi/kernel';
import type { NewRunInput, RunInput, RunInputStore } from '@ravi/kernel';
import { readInputIds } from './run-details.ts';
import type { RunRecorder } from './run-recorder.ts';

/** Services of {@link addInput}. */
export interface InputServices {
  readonly inputs: RunInputStore;
  readonly recorder: Pick<RunRecorder, 'recordOf'>;
  /** Inputs that a run may have and not have read. */
  readonly maxWaiting: number;
}

/**
 * Adds an input to a run and returns it, or `undefined` if the run has ended. The store counts, so that several servers keep one limit.
 * The record of the run, which says what it has read, is needed only for a run that has had as many inputs as may wait.
 * @throws KernelError `E_BUSY` if the run has not read as many inputs as may wait
 */
export async function addInput(
  input: NewRunInput,
  { inputs, recorder, maxWaiting }: InputServices,
): Promise<RunInput | undefined> {
  try {
    return await inputs.add(input, { read: 0, maxWaiting });
  } catch (error) {
    if (!isKernelError(error, 'E_BUSY')) throw error;
  }
  const inputsRead = readInputIds(await recorder.recordOf(input.runId));
  return inputs.add(input, { read: await lastRead(input.runId, inputs, inputsRead), maxWaiting });
}

// Inputs are read in the order of their numbers.
async function lastRead(runId: string, inputs: RunInputStore, read: ReadonlySet<string>): Promise<number> {
  let last = 0;
  for (;;) {
    const page = await inputs.list(runId, last);
    const waiting = page.findIndex(({ id }) => !read.has(id));
    const done = waiting === -1 ? page : page.slice(0, waiting);
    last = done.at(-1)?.number ?? last;
    if (waiting !== -1 || page.length === 0) return last;
  }
}
