import { RaviApiError } from '@ravi/client';
import { isKernelError } from '@ravi/kernel';
import type { RunDetails } from '@ravi/api';
import { questionLines } from './ask.ts';
import { visible } from './render/visible.ts';
import type { Terminal } from './terminal.ts';

/** An error that the user can fix. */
export interface CommandError {
  readonly code: string;
  readonly message: string;
}

/** Returns code and message of an error that the user can fix; `undefined` for a bug. */
export function commandErrorOf(error: unknown): CommandError | undefined {
  if (isKernelError(error)) return error;
  if (!(error instanceof RaviApiError)) return undefined;
  const { code, message } = error;
  // Something else may listen at the address.
  if (code === 'E_RESPONSE_INVALID') return { code: 'E_SERVER_UNREACHABLE', message };
  return { code, message: code === 'E_SERVER_UNREACHABLE' ? `${message}; start one with "ravi serve"` : message };
}

/** Returns true if an error has this code. */
export function hasCode(error: unknown, code: string): boolean {
  return commandErrorOf(error)?.code === code;
}

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
export function printPaused(run: RunDetails, { warn }: Terminal): void {
  const { id, status, error, pendingApprovals, completions, questions } = run;
  const reason = error === undefined ? '' : `: ${error.message}`;
  if (status !== 'paused') {
    warn(visible(`The run ${id} is ${status}${reason}`));
    if (status === 'blocked') warn(`Once a server has what it needs: ravi runs retry ${id}`);
    return;
  }
  for (const { id: approval, tool, status: state } of pendingApprovals) {
    const parked = state === 'parked' ? ' (parked: its time has passed)' : '';
    warn(visible(`The run ${id} waits for approval of ${tool}${parked}: ravi approvals approve ${approval}`));
  }
  for (const { tool } of completions) warn(visible(`The run ${id} waits for the result of ${tool} from outside`));
  for (const question of questions) {
    const named = questions.length > 1 ? `${question.callId}: ` : '';
    warn(`${visible(named)}${questionLines(question)}`);
  }
  if (questions.length > 1) {
    warn(`The run ${id} waits for answers: ravi runs resume ${id} --answer '{"<id>": "<text>", …}'`);
  } else if (questions.length > 0 || pendingApprovals.length + completions.length === 0) {
    warn(`The run ${id} waits for an answer: ravi runs resume ${id} --answer <text>`);
  }
}
