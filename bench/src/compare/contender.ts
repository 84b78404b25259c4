/** Tool as each runtime gets it: without arguments, with the declarations of its author. */
export interface ComparedTool {
  readonly name: string;
  /** True if the author requires approval. */
  readonly needsApproval?: boolean;
  /** True if a repeated call is safe. */
  readonly isReading?: boolean;
  execute(): unknown;
}

/** A runtime for scripts of a model, set up as its documentation says, with its own defaults. */
export interface Contender {
  readonly name: string;
  /** Returns the expression for a tool in a script of this runtime. */
  reference(tool: string): string;
  /** Runs a script like the code tool of the model; returns the text for the model. */
  run(code: string, tools: readonly ComparedTool[]): Promise<string>;
}

/** Returns the text that a runtime gives its model for a value or a failure. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

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
