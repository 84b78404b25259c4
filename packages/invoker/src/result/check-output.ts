import { isLocalTool } from '@ravi/kernel';
import type { InvocationError, InvocationResult } from '@ravi/kernel';
import { cutUtf8 } from '@ravi/support';
import type { PendingCall } from '../pending-call.ts';
import { validateValue } from '../validation/validate-arguments.ts';
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
  const problem = validateValue(pending.runtime.schemas, tool.outputSchema, value, 'The result');
  if (problem === undefined) return output;
  const error = outputError(pending.name, 'its result does not match', problem);
  return { ...output, text: textWith(error, text), error };
}

/**
 * Validates a result that an interceptor returned instead of the one of the tool, in the same way. A stored value cannot be
 * checked again: an interceptor that replaces it returns the new value.
 */
export function checkReplacement(pending: PendingCall, result: InvocationResult): InvocationResult {
  if (result.status !== 'ok' || result.artifactRef !== undefined) return result;
  // A call that stopped early has not looked up its tool.
  const tool = pending.runtime.registry.get(pending.name);
  if (tool === undefined || !isLocalTool(tool) || tool.outputSchema === undefined) return result;
  const value = result.structured === undefined ? result.text : result.structured;
  const problem = validateValue(pending.runtime.schemas, tool.outputSchema, value, 'The result');
  if (problem === undefined) return result;
  const error = outputError(pending.name, 'an interceptor replaced its result by one that does not match', problem);
  return { status: 'error', text: textWith(error, result.text), files: result.files, error };
}

function textWith({ message }: InvocationError, text: string): string {
  return text === '' ? message : `${message}\n\n${text}`;
}

function outputError(tool: string, what: string, problem: string): InvocationError {
  const message = `The tool ${tool} has run, but ${what} its outputSchema: ${cutUtf8(problem, maxProblemBytes)}`;
  return { code: 'E_OUTPUT_INVALID', message, retryable: false };
}
