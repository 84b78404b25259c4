import type { RunDetails } from '@ravi/api';
import { visible } from './render/visible.ts';
import type { Terminal } from './terminal.ts';

/** Prints why a command failed: one line on standard error, or `{ "error": { code, message } }` on standard output as JSON. */
export function printError(
  { code, message }: { readonly code: string; readonly message: string },
  isJson: boolean,
  { print, warn }: Pick<Terminal, 'print' | 'warn'>,
): void {
  if (isJson) print(JSON.stringify({ error: { code, message } }));
  else warn(visible(`${code}: ${message}`));
}

/** Prints on standard error what a run waits for, and how to resume it. */
export function printPaused({ id, status, error, pendingApprovals, questions }: RunDetails, { warn }: Terminal): void {
  const reason = error === undefined ? '' : `: ${error.message}`;
  if (status !== 'paused') return warn(visible(`The run ${id} is ${status}${reason}`));
  for (const { id: approval, tool } of pendingApprovals) {
    warn(visible(`The run ${id} waits for approval of ${tool}: ravi approvals approve ${approval}`));
  }
  for (const { question } of questions) warn(visible(question));
  if (pendingApprovals.length === 0) warn(`The run ${id} waits for an answer: ravi runs resume ${id} --answer <text>`);
}
