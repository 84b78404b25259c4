import { KernelError } from '@ravi/kernel';
import type { ToolContext } from '@ravi/kernel';
import { withPathLock } from '@ravi/tools-kit';
import type { Workspace } from '@ravi/tools-kit';

/** Command that waits for its turn in a workspace. */
export interface TurnRequest {
  /** Name of the tools whose calls run one after the other. */
  readonly kind: string;
  readonly workspace: Workspace;
  /** Milliseconds for the wait and the command together. */
  readonly timeoutMs: number;
}

/** Time of a command. */
export interface CommandTime {
  /** Milliseconds for the wait and the command together. */
  readonly limitMs: number;
  /** Milliseconds that are left for the command. */
  readonly leftMs: number;
  /** Says in brackets how long the call waited, and for which kind of command; empty if it did not. */
  readonly waited: string;
}

/** Returns the time of a command that does not wait. */
export function timeOf(limitMs: number): CommandTime {
  return { limitMs, leftMs: limitMs, waited: '' };
}

/**
 * Runs `work` while no other work of its kind runs in the workspace, as at a terminal. The wait counts towards the time limit.
 * @throws KernelError `E_WORK_BUSY` if the time limit passes during the wait, `E_CANCELLED`; `work` is then never called
 */
export async function inTurn<Result>(
  { kind, workspace, timeoutMs }: TurnRequest,
  context: Pick<ToolContext, 'signal' | 'clock' | 'check'>,
  work: (time: CommandTime) => Promise<Result>,
): Promise<Result> {
  const { clock, signal } = context;
  context.check();
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const start = clock.monotonic();
  let isOver = false;
  const giveUp = (error: unknown): void => {
    isOver = true;
    reject(error);
  };
  const timer = clock.setTimer(() => giveUp(waitedTooLong(kind, timeoutMs)), timeoutMs);
  const cancel = (): void => giveUp(new KernelError('E_CANCELLED', 'The call was cancelled while it waited'));
  signal.addEventListener('abort', cancel, { once: true });
  const begin = async (): Promise<void> => {
    timer.cancel();
    signal.removeEventListener('abort', cancel);
    if (isOver) return;
    const waitedMs = Math.round(clock.monotonic() - start);
    const waited = waitedMs === 0 ? '' : ` (${waitedMs} ms of them the call waited for another command of ${kind})`;
    const done = work({ limitMs: timeoutMs, leftMs: Math.max(1, timeoutMs - waitedMs), waited });
    resolve(done);
    // The next one waits for its end, however it ends.
    await done.catch(() => undefined);
  };
  void withPathLock(`${kind}\0${workspace.root}`, begin);
  return promise;
}

function waitedTooLong(kind: string, timeoutMs: number): KernelError {
  const message = `The call waited ${timeoutMs} ms, its whole time limit, for another command of ${kind} in this workspace, and did not begin`;
  return new KernelError('E_WORK_BUSY', message, { retryable: true, hadNoEffect: true });
}
