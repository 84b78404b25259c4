import { textBlock } from '@ravi/kernel';
import type { Approval, ChainRunResult, KernelError } from '@ravi/kernel';

/** The result of a run that cannot go on. */
export function failedResult({ code, message }: KernelError): ChainRunResult {
  const outputText = `The script failed: ${message} [${code}]`;
  return {
    status: 'error',
    error: { code, message },
    outputText,
    outputBlocks: [{ type: 'error', message: outputText, code }],
    logs: [],
    toolCalls: 0,
    durationMs: 0,
    callTrace: [],
  };
}

/** The result of a run that waits for humans: the calls that are over, and what is asked. */
export function pausedResult(left: ChainRunResult, pending: readonly Approval[]): ChainRunResult {
  const { logs, toolCalls, durationMs } = left;
  const questions = pending.map(({ request }) => `${request.tool} (${request.id})`).join(', ');
  const outputText = `The run is paused until somebody answers: ${questions}`;
  return {
    status: 'paused',
    outputText,
    outputBlocks: [textBlock(outputText)],
    logs,
    toolCalls,
    durationMs,
    callTrace: left.callTrace.filter(({ status }) => status !== 'cancelled'),
  };
}
