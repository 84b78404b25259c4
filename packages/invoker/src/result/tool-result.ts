import { textOf } from '@ravi/kernel';
import type { ContentBlock, InvocationError, ToolExecutionResult } from '@ravi/kernel';
import type { PendingCall } from '../pending-call.ts';
import { problemWithResult } from './check-result.ts';
import { encodeStructured } from './encode-structured.ts';
import { declaredFailure, foundFailure, thrownFailure } from './tool-error.ts';
import type { ToolFailure } from './tool-error.ts';

/** How an execution ended. */
export type Execution =
  | { readonly kind: 'returned'; readonly result: ToolExecutionResult }
  | { readonly kind: 'threw'; readonly error: unknown }
  | { readonly kind: 'timeout'; readonly limitMs: number };

/** What a tool produced, in a form that shaping can rely on. */
export interface ToolOutput {
  readonly content: readonly ContentBlock[];
  readonly text: string;
  /** JSON text of the structured content, encoded once. */
  readonly structuredJson: string | undefined;
  /** Present when the call failed. */
  readonly error: InvocationError | undefined;
}

/** Reads an execution that may have thrown anything or returned garbage; a failure is a value like any other. */
export function readExecution(pending: PendingCall, execution: Exclude<Execution, { kind: 'timeout' }>): ToolOutput {
  if (execution.kind === 'threw') return failed(thrownFailure(pending, execution.error));
  const problem = problemWithResult(execution.result);
  if (problem !== undefined) {
    return failed(foundFailure(`The tool ${pending.name} returned no valid result: ${problem}`));
  }
  return read(pending, execution.result);
}

function read(pending: PendingCall, result: ToolExecutionResult): ToolOutput {
  const { content } = result;
  let structuredJson: string | undefined;
  try {
    structuredJson = encodeStructured(result.structuredContent);
  } catch (error) {
    const why = pending.runtime.scrub(error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : '');
    return failed(foundFailure(`The tool ${pending.name} returned structuredContent that is not JSON: ${why}`));
  }
  const text = textOf(content);
  if (!result.isError) return { content, text, structuredJson, error: undefined };
  const declared = declaredFailure(result, pending.runtime.scrub(text));
  return { content, text: declared.text, structuredJson, error: declared.error };
}

function failed({ text, error }: ToolFailure): ToolOutput {
  return { content: [], text, structuredJson: undefined, error };
}
