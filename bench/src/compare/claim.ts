import type { Contender } from './contender.ts';

/** One statement of the comparison, shown by what a script really did. */
export interface Claim {
  readonly title: string;
  /** What is counted. */
  readonly counts: string;
  /** Runs the script in one runtime and says what happened, in a few words. */
  show(contender: Contender): Promise<string>;
}

/** What `run` came to, so that a refusal is an outcome too. */
export async function outcomeOf(run: Promise<string>): Promise<string> {
  try {
    return await run;
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  }
}
