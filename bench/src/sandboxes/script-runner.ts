/** Something that runs a model's script with the benchmark's tools in reach. */
export interface ScriptRunner extends AsyncDisposable {
  readonly name: string;
  /** How a script names a tool here. */
  reference(tool: ToolName): string;
  /** Makes the guest of the next run ready ahead of time, where the runner leaves that to its user. */
  prepare?(): Promise<void>;
  /** The value of the script, which is the body of an asynchronous function. Rejects when it fails. */
  run(code: string): Promise<unknown>;
}

/** The tools that scripts call; every runner declares the same ones in its own manner. */
export type ToolName = 'echo' | 'wait' | 'text' | 'rows';

const megabyte: number = 1024 * 1024;

/** Limits that every runner gets alike, so that none stops short of what is measured. */
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
