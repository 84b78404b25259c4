import type { Contender } from './contender.ts';

/** Statement of the comparison, proved by running a script. */
export interface Claim {
  readonly title: string;
  /** Subject of the count. */
  readonly counts: string;
  /** Runs the script in one runtime and describes the outcome in a few words. */
  show(contender: Contender): Promise<string>;
}

/** Returns the outcome of `run`; a refusal is an outcome too. */
export async function outcomeOf(run: Promise<string>): Promise<string> {
  try {
    return await run;
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  }
}
