import { KernelError } from '@ravi/kernel';
import type { InvocationResult, JsonValue } from '@ravi/kernel';

/** Result of a tool in Mastra. A model reads only `text`. */
export interface RaviOutput {
  readonly status: InvocationResult['status'];
  readonly text: string;
  readonly value?: JsonValue;
  /** Ref of the stored result, if it was too large. */
  readonly artifactRef?: string;
  readonly files?: InvocationResult['files'];
  readonly error?: InvocationResult['error'];
}

/** JSON Schema of {@link RaviOutput}, which steps of workflows need. */
export const outputSchema = {
  type: 'object',
  properties: {
    status: { enum: ['ok', 'error', 'denied'] },
    text: { type: 'string' },
    value: {},
    artifactRef: { type: 'string' },
    files: { type: 'array', items: { type: 'object' } },
    error: { type: 'object' },
  },
  required: ['status', 'text'],
} as const;

/**
 * Returns a result for Mastra.
 * @throws KernelError with the code of the result, if it is a failure that no model reads: a workflow must not continue
 */
export function outputOf(result: InvocationResult, { isOfAgent }: { readonly isOfAgent: boolean }): RaviOutput {
  const { status, text, structured: value, artifactRef, files, error } = result;
  if (status !== 'ok' && !isOfAgent) throw new KernelError(error?.code ?? 'E_TOOL_FAILED', text);
  return {
    status,
    text,
    ...(value === undefined ? {} : { value }),
    ...(artifactRef === undefined ? {} : { artifactRef }),
    ...(files.length === 0 ? {} : { files }),
    ...(error === undefined ? {} : { error }),
  };
}

/** Returns what a model reads. */
export function modelOutputOf({ text }: RaviOutput): { readonly type: 'text'; readonly value: string } {
  return { type: 'text', value: text };
}
