import type { Run } from '@ravi/kernel';
import { runDetails } from './run-details.ts';
import type { RunRecorder } from './run-recorder.ts';

/** What a run has used. */
export interface Spent {
  readonly tokens: number;
  /** In the currency of the price table; absent when an answer has no price. */
  readonly cost?: number;
  /** Calls of the model itself, those of scripts apart. */
  readonly toolCalls: number;
}

/** Says what a run has used so far. */
export type SpentOf = (run: Run) => Promise<Spent>;

const maxKept = 5_000;

/** Reads it from the events of the run; of one that is over it is read once. */
export function createSpentOf(recorder: Pick<RunRecorder, 'read'>): SpentOf {
  const known = new Map<string, Spent>();
  return async (run) => {
    const kept = known.get(run.id);
    if (kept !== undefined) return kept;
    const { usage, cost, trace } = runDetails(run, await recorder.read(run.id, 0));
    const spent = {
      tokens: usage.inputTokens + usage.outputTokens,
      ...(cost === undefined ? {} : { cost }),
      toolCalls: trace.filter(({ caller }) => caller === 'direct').length,
    };
    if (run.outcome === undefined) return spent;
    const [oldest] = known.keys();
    if (known.size >= maxKept && oldest !== undefined) known.delete(oldest);
    known.set(run.id, spent);
    return spent;
  };
}
