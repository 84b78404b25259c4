import { isKernelError, textOf } from '@ravi/kernel';
import type { ContentBlock, ErrorBlock, InvocationError, JsonValue, ToolExecutionResult } from '@ravi/kernel';
import type { Execution } from './execute.ts';
import type { PendingCall } from './pending-call.ts';

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
  if (execution.kind === 'threw') return failed(errorOf(pending, execution.error));
  const problem = problemWith(execution.result);
  if (problem !== undefined) {
    return failed(toolFailed(`The tool ${pending.name} returned no valid result: ${problem}`));
  }
  return read(pending, execution.result);
}

function read(pending: PendingCall, result: ToolExecutionResult): ToolOutput {
  let structuredJson: string | undefined;
  try {
    structuredJson = encode(result.structuredContent);
  } catch (error) {
    const why = error instanceof Error ? (error.message.split('\n')[0] ?? '') : '';
    return failed(toolFailed(`The tool ${pending.name} returned structuredContent that is not JSON: ${why}`));
  }
  const text = textOf(result.content);
  if (!result.isError) return { content: result.content, text, structuredJson, error: undefined };
  const clean = pending.runtime.scrub(text);
  return { content: result.content, text: clean, structuredJson, error: declaredError(result, clean) };
}

function encode(value: JsonValue | undefined): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}

function declaredError(result: ToolExecutionResult, text: string): InvocationError {
  const block = result.content.find((each): each is ErrorBlock => each.type === 'error');
  return {
    code: block?.code ?? 'E_TOOL_FAILED',
    message: text === '' ? 'The tool failed and gave no message' : text,
    retryable: block?.retryable ?? false,
    ...(block?.retryAfterMs === undefined ? {} : { retryAfterMs: block.retryAfterMs }),
  };
}

function errorOf(pending: PendingCall, thrown: unknown): InvocationError {
  const fields = typeof thrown === 'object' && thrown !== null ? (thrown as Record<string, unknown>) : {};
  const message = thrown instanceof Error ? thrown.message : `The tool ${pending.name} threw ${describe(thrown)}`;
  const { code, retryable, retryAfterMs } = fields;
  return {
    code: typeof code === 'string' && code !== '' ? code.slice(0, 128) : 'E_TOOL_FAILED',
    message: pending.runtime.scrub(message === '' ? `The tool ${pending.name} failed` : message),
    retryable: retryable === true || (isKernelError(thrown) && thrown.retryable),
    ...(typeof retryAfterMs === 'number' && retryAfterMs >= 0 ? { retryAfterMs } : {}),
  };
}

function describe(thrown: unknown): string {
  if (typeof thrown === 'string') return JSON.stringify(thrown.slice(0, 500));
  try {
    return JSON.stringify(thrown)?.slice(0, 500) ?? String(thrown);
  } catch {
    return 'something that is no error';
  }
}

function problemWith(result: unknown): string | undefined {
  if (typeof result !== 'object' || result === null)
    return `got ${result === null ? 'null' : typeof result}, not an object`;
  const { content, isError } = result as Partial<ToolExecutionResult>;
  if (!Array.isArray(content)) return 'its content is not a list of blocks';
  if (typeof isError !== 'boolean') return 'its isError is not true or false';
  const bad = (content as readonly unknown[]).findIndex(
    (block) => typeof block !== 'object' || block === null || typeof (block as ContentBlock).type !== 'string',
  );
  return bad === -1 ? undefined : `its content block ${bad} has no type`;
}

function failed(error: InvocationError): ToolOutput {
  return { content: [], text: error.message, structuredJson: undefined, error };
}

function toolFailed(message: string): InvocationError {
  return { code: 'E_TOOL_FAILED', message, retryable: false };
}
