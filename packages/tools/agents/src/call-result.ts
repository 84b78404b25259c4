import { textBlock } from '@ravi/kernel';
import type { InvocationResult, ToolExecutionResult } from '@ravi/kernel';

/** Returns the result of a call inside as the result of the call around it. */
export function resultOfCall({ status, text, structured, error, artifactRef }: InvocationResult): ToolExecutionResult {
  const failed = status !== 'ok';
  const shown = error === undefined || text.includes(error.message) ? text : `${error.code}: ${error.message}`;
  const stored = artifactRef === undefined || shown.includes(artifactRef) ? '' : `\n(all of it: ${artifactRef})`;
  return {
    content: [textBlock(`${shown}${stored}`)],
    isError: failed,
    ...(structured === undefined || failed ? {} : { structuredContent: structured }),
  };
}
