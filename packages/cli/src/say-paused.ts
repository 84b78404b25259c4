import type { RunAnswer } from './client/answers.ts';
import type { Terminal } from './terminal.ts';

/** Says on standard error what a run that is not over waits for, and how to go on with it. */
export function sayPaused({ id, status, error, pendingApprovals }: RunAnswer, { warn }: Terminal): void {
  if (status !== 'paused') return warn(`The run ${id} is ${status}${error === undefined ? '' : `: ${error.message}`}`);
  for (const { id: approval, tool } of pendingApprovals) {
    warn(`The run ${id} waits for approval of ${tool}: ravi approvals approve ${approval}`);
  }
  if (pendingApprovals.length === 0) warn(`The run ${id} waits for an answer: ravi runs resume ${id} --answer <text>`);
}
