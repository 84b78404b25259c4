import { isLocalTool } from '@ravi/kernel';
import type { InvocationError } from '@ravi/kernel';
import { cutUtf8 } from '@ravi/support';
import type { PendingCall } from '../pending-call.ts';
import { validateArguments } from '../validation/validate-arguments.ts';
import { decodeStructured } from './encode-structured.ts';
import type { ToolOutput } from './read-tool-result.ts';

const maxProblemBytes = 1_024;

/**
 * Validates the value of a successful call, its structured content or else its text, against the tool's `outputSchema`. On a
 * mismatch the call ends as `E_OUTPUT_INVALID`: a script relies on the declared type. The content stays in the text, because
 * the tool has run and its effect has happened.
 */
export function checkOutput(pending: PendingCall, output: ToolOutput): ToolOutput {
  const { tool } = pending;
  if (output.error !== undefined || !isLocalTool(tool) || tool.outputSchema === undefined) return output;
  const { structuredJson, text } = output;
  const value = structuredJson === undefined ? text : decodeStructured(structuredJson);
  const problem = validateArguments(pending.runtime.schemas, tool.outputSchema, value);
  if (problem === undefined) return output;
  const error = outputError(pending.name, problem);
  return { ...output, text: text === '' ? error.message : `${error.message}\n\n${text}`, error };
}

function outputError(tool: string, problem: string): InvocationError {
  const message = `The tool ${tool} has run, but its result does not match its outputSchema: ${cutUtf8(problem, maxProblemBytes)}`;
  return { code: 'E_OUTPUT_INVALID', message, retryable: false };
}
