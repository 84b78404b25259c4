import type { ChildProcess } from 'node:child_process';
import type { WorkFolder } from '@ravi/tools-kit';

/** Command to run. */
export interface CommandRun {
  /** Program and arguments; no shell reads them. */
  readonly argv: readonly string[];
  readonly folder: WorkFolder;
  readonly timeoutMs: number;
  /** Text for the standard input. Default: none. */
  readonly stdin?: string | undefined;
  /** Variables in addition to those of the settings. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** Absolute paths of folders outside of the workspace that a command in a container may write. Default: none. */
  readonly writes?: readonly string[] | undefined;
}

/** Command that has started. */
export interface RunningCommand {
  /** Process whose standard output is that of the command, and which ends with it. */
  readonly child: ChildProcess;
  /** Ends all processes of the command. Resolves to false if one could not be ended. */
  stop(): Promise<boolean>;
  /**
   * Ends what the command has left running, after `child` has ended with a status. Resolves to false if a process could not be ended.
   * @throws KernelError if it turns out that the command had not started
   */
  leave(exitCode: number): Promise<boolean>;
}
