import { KernelError } from '@ravi/kernel';

/** An error about a run, whose id the response names as `runId`. */
export class RunProblem extends KernelError {
  readonly runId: string;

  constructor({ code, message, retryable, cause }: KernelError, runId: string) {
    super(code, message, { retryable, cause });
    this.runId = runId;
  }
}
