/** Runner of a model's scripts with the tools of the benchmark. */
export interface ScriptRunner extends AsyncDisposable {
  readonly name: string;
  /** Returns the expression for a tool in a script of this runner. */
  reference(tool: ToolName): string;
  /** Prepares the guest of the next run ahead of time, if the runner leaves that to its user. */
  prepare?(): Promise<void>;
  /** Returns the value of the script, which is the body of an async function. Rejects when it fails. */
  run(code: string): Promise<unknown>;
}

/** Tools that scripts call; every runner declares the same ones in its own way. */
export type ToolName = 'echo' | 'wait' | 'text' | 'rows';

const megabyte: number = 1024 * 1024;

/** Limits that are the same for every runner, and high enough for every measurement. */
export const limits: {
  readonly timeoutMs: number;
  readonly memoryBytes: number;
  readonly transferBytes: number;
  readonly calls: number;
  readonly callsInFlight: number;
} = {
  timeoutMs: 10_000,
  memoryBytes: 128 * megabyte,
  transferBytes: 64 * megabyte,
  calls: 10_000,
  callsInFlight: 1_000,
};

/** Options of a runner. */
export interface RunnerOptions {
  /** Maximum number of scripts that are live at once, for runners that limit it; the runner's own default when absent. */
  readonly liveScripts?: number;
}
