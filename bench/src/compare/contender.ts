/** A tool as each runtime gets it: no arguments, and what its author says of it. */
export interface ComparedTool {
  readonly name: string;
  /** Its author wants a human asked first. */
  readonly needsApproval?: boolean;
  /** Calling it twice does no harm. */
  readonly isReading?: boolean;
  execute(): unknown;
}

/** A runtime for scripts of a model, set up as its documentation says, with its own defaults. */
export interface Contender {
  readonly name: string;
  /** How a script names a tool here. */
  reference(tool: string): string;
  /** Runs a script as the model's one tool would; gives the text that goes back to the model. */
  run(code: string, tools: readonly ComparedTool[]): Promise<string>;
}

/** What a runtime gives its model for a value or a failure. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
