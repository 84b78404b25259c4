import { isKernelError } from '@ravi/kernel';
import type { ErrorBlock, InvocationError, ToolExecutionResult } from '@ravi/kernel';
import { cutUtf8 } from '@ravi/support';
import type { PendingCall } from '../pending-call.ts';

const maxMessageBytes = 4_096;
const maxCodeCharacters = 128;
const maxShownCharacters = 500;

/** A failure in full, and as it travels: the message bounded, the fields checked. */
export interface ToolFailure {
  readonly text: string;
  readonly error: InvocationError;
}

/** What a tool threw, whatever it is. */
export function thrownFailure(pending: PendingCall, thrown: unknown): ToolFailure {
  const text = pending.runtime.scrub(messageOf(thrown) ?? `The tool ${pending.name} threw ${describe(thrown)}`);
  return failure(text === '' ? `The tool ${pending.name} failed` : text, fieldsOf(thrown));
}

/** What a result with `isError` says of itself: `text` and the fields of its first error block. */
export function declaredFailure(result: ToolExecutionResult, text: string): ToolFailure {
  const block = result.content.find((each): each is ErrorBlock => each.type === 'error');
  return failure(text === '' ? 'The tool failed and gave no message' : text, { ...block });
}

/** A failure that the runtime found. */
export function foundFailure(text: string): ToolFailure {
  return failure(text, {});
}

function failure(text: string, fields: Readonly<Record<string, unknown>>): ToolFailure {
  const { code, retryable, retryAfterMs } = fields;
  const isWait = typeof retryAfterMs === 'number' && Number.isFinite(retryAfterMs) && retryAfterMs >= 0;
  const message = cutUtf8(text, maxMessageBytes);
  return {
    text,
    error: {
      code: typeof code === 'string' && code !== '' ? code.slice(0, maxCodeCharacters) : 'E_TOOL_FAILED',
      message: message === text ? text : `${message}…`,
      retryable: retryable === true,
      ...(isWait ? { retryAfterMs } : {}),
    },
  };
}

// Whatever was thrown may throw again when it is looked at.
function messageOf(thrown: unknown): string | undefined {
  try {
    if (!(thrown instanceof Error)) return undefined;
    const { message } = thrown;
    return typeof message === 'string' ? message : '';
  } catch {
    return '';
  }
}

function fieldsOf(thrown: unknown): Readonly<Record<string, unknown>> {
  try {
    if (typeof thrown !== 'object' || thrown === null) return {};
    const { code, retryable, retryAfterMs } = thrown as Readonly<Record<string, unknown>>;
    // What the runtime says of a call is not for everybody to say: whoever has an `E_` code means it by a `KernelError`.
    const isForeign = String(code).startsWith('E_') && !isKernelError(thrown);
    return { code: isForeign ? undefined : code, retryable, retryAfterMs };
  } catch {
    return {};
  }
}

function describe(thrown: unknown): string {
  try {
    if (typeof thrown === 'string') return JSON.stringify(thrown.slice(0, maxShownCharacters));
    if (typeof thrown !== 'object' || thrown === null) return String(thrown);
    return JSON.stringify(thrown).slice(0, maxShownCharacters);
  } catch {
    return 'something that is no error';
  }
}
