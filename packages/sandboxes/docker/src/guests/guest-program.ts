import type { SandboxOutcome, SandboxRequest } from '@ravi/kernel';
import type { ExpectedRun } from '@ravi/sandbox-kit';

/** What a container of one language runs. */
export interface GuestProgram {
  /** The command of the container; it reads its program from the channel. */
  readonly command: readonly string[];
  /** What is sent first; a run like the last one finds itself expected. */
  program(lastRun: ExpectedRun | undefined): string;
  /**
   * What the program takes beside the data of a run. Where it says so, the memory of its container follows the limit of
   * each run; else it is the container's own, and the program keeps the limit.
   */
  readonly ownBytes?: number;
  /** Exit codes of a guest that could not get the memory it asked for. */
  readonly outOfMemoryCodes: readonly number[];
  /** Runs a request whose files are to be at their paths; absent where scripts have no files. */
  runWithFiles?(
    request: SandboxRequest,
    run: (request: SandboxRequest) => Promise<SandboxOutcome>,
  ): Promise<SandboxOutcome>;
}
