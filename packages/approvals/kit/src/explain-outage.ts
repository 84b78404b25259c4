import { isKernelError, KernelError } from '@ravi/kernel';
import type { Logger } from '@ravi/kernel';

const retryAfterMs = 1_000;
const message =
  'The approval store is unavailable. Read the approval before you decide again: the decision may have been recorded';

/**
 * Runs an operation on the store for an approver. If the store is unavailable, logs its error and throws one that may be
 * shown to the approver: `E_STATE_UNAVAILABLE` with `retryAfterMs`.
 */
export async function explainOutage<Value>(logger: Logger, operation: () => Promise<Value>): Promise<Value> {
  try {
    return await operation();
  } catch (cause) {
    if (!isKernelError(cause, 'E_STATE_UNAVAILABLE')) throw cause;
    logger.warn('the approval store is unavailable', { error: cause });
    throw new KernelError('E_STATE_UNAVAILABLE', message, { cause, retryable: true, retryAfterMs });
  }
}
