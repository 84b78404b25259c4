import type { ChainCallRecord, InvocationResult, JournaledCall } from '@ravi/kernel';

/** What is said of a call that had begun when its process ended: it may have had its effect, and is not repeated. */
export function unknownOutcome({ entry }: JournaledCall): {
  readonly record: ChainCallRecord;
  readonly result: InvocationResult;
} {
  const { tool } = entry.record;
  const code = 'E_CALL_UNKNOWN';
  const message =
    `The call of ${tool} had begun when the process ended, and nobody knows whether it had its effect. ` +
    'It was not repeated: find out first';
  return {
    record: { ...entry.record, status: 'unknown', errorCode: code },
    result: { status: 'error', text: message, files: [], error: { code, message, retryable: false } },
  };
}
