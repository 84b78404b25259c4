import type { SandboxOutcome, SandboxRequest } from '@ravi/kernel';
import type { ExpectedRun } from '@ravi/sandbox-kit';

/** Program of the containers of one language. */
export interface GuestProgram {
  /** Command of the container; it reads its program from the channel. */
  readonly command: readonly string[];
  /** Returns the program that is sent first, prepared for a run like the last one. */
  program(lastRun: ExpectedRun | undefined): string;
  /**
   * Memory of the program in addition to the data of a run. If present, the memory limit of its container follows that of
   * each run; otherwise the container keeps its own limit, and the program enforces that of the run.
   */
  readonly ownBytes?: number;
  /** Exit codes of a guest that ran out of memory. */
  readonly outOfMemoryCodes: readonly number[];
  /** Runs a request and places its files at their paths; absent if scripts have no files. */
  runWithFiles?(
    request: SandboxRequest,
    run: (request: SandboxRequest) => Promise<SandboxOutcome>,
  ): Promise<SandboxOutcome>;
}
