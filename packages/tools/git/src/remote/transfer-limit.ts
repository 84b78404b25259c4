import { KernelError } from '@ravi/kernel';
import type { ToolContext } from '@ravi/kernel';
import type { GitContext, GitParts } from '../options.ts';

const defaultLimitMs = 600_000;

/** Context of a transfer. */
export type TransferContext = GitContext & Pick<ToolContext, 'check'>;

/**
 * Runs a transfer within the time limit of the configuration. `callTimeoutMs` is for work on this machine, and much shorter than the copy of
 * a large repository.
 * @throws KernelError `E_GIT_TIMEOUT` at the limit, and those of `work`
 */
export async function withTransferLimit<Result>(
  { options }: GitParts,
  context: TransferContext & Pick<ToolContext, 'clock'>,
  work: (limited: TransferContext) => Promise<Result>,
): Promise<Result> {
  const limitMs = options.transferTimeoutMs ?? defaultLimitMs;
  const limit = new AbortController();
  const timer = context.clock.setTimer(() => limit.abort(), limitMs);
  try {
    return await work({
      ...(context.cwd === undefined ? {} : { cwd: context.cwd }),
      signal: AbortSignal.any([context.signal, limit.signal]),
      check: () => context.check(),
    });
  } catch (error) {
    if (!limit.signal.aborted || context.signal.aborted) throw error;
    const message = `The transfer took more than ${limitMs} ms (transferTimeoutMs) and was ended`;
    throw new KernelError('E_GIT_TIMEOUT', message, { cause: error });
  } finally {
    timer.cancel();
  }
}
