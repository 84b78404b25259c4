import type { InvocationResult } from '@ravi/kernel';

const statuses: ReadonlySet<unknown> = new Set<InvocationResult['status']>(['ok', 'error', 'denied']);

/** Whether a value has the shape of an {@link InvocationResult}; a failure must say which one. */
export function isInvocationResult(value: unknown): value is InvocationResult {
  if (typeof value !== 'object' || value === null) return false;
  const { status, text, files, error } = value as Partial<Record<keyof InvocationResult, unknown>>;
  if (!statuses.has(status) || typeof text !== 'string' || !Array.isArray(files)) return false;
  return status === 'ok' || isError(error);
}

function isError(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, message, retryable } = error as Readonly<Record<string, unknown>>;
  return typeof code === 'string' && typeof message === 'string' && typeof retryable === 'boolean';
}
