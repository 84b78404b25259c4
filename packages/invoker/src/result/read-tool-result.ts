import { isKernelError, textOf } from '@ravi/kernel';
import type { ContentBlock, ErrorBlock, InvocationError, ToolExecutionResult } from '@ravi/kernel';
import { cutUtf8 } from '@ravi/support';
import type { PendingCall } from '../pending-call.ts';
import { checkOutput } from './check-output.ts';
import { encodeStructured } from './encode-structured.ts';

const maxMessageBytes = 4_096;
const maxCodeCharacters = 128;
const maxShownCharacters = 500;

/** Codes of errors of Node.js and of its `fetch` that a later attempt may not meet. */
const networkCodes: ReadonlySet<unknown> = new Set([
  'EAI_AGAIN',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EPIPE',
  'ETIMEDOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_SOCKET',
]);

interface CodedError extends Error {
  readonly code?: unknown;
}

/** End of an execution. */
export type Execution =
  | { readonly kind: 'returned'; readonly result: ToolExecutionResult }
  | { readonly kind: 'threw'; readonly error: unknown }
  | { readonly kind: 'timeout'; readonly limitMs: number };

/** Output of a tool, in a form that shaping can rely on. */
export interface ToolOutput {
  readonly content: readonly ContentBlock[];
  readonly text: string;
  /** JSON text of the structured content, encoded once. */
  readonly structuredJson: string | undefined;
  /** True if a model that reads only the text lacks a part of the structured content. */
  readonly isTextCut: boolean;
  /** Present when the call failed. */
  readonly error: InvocationError | undefined;
  /** True if the failure may pass, so that the same call may succeed later. */
  readonly mayPass: boolean;
  /** True if the call failed and certainly had no effect. */
  readonly hadNoEffect: boolean;
}

/** Reads an execution that may have thrown anything or returned an invalid result; a failure becomes a value. */
export function readExecution(pending: PendingCall, execution: Exclude<Execution, { kind: 'timeout' }>): ToolOutput {
  if (execution.kind === 'threw') return failed(thrownFailure(pending, execution.error));
  const problem = problemWithResult(execution.result);
  if (problem !== undefined) {
    return failed(foundFailure(`The tool ${pending.name} returned an invalid result: ${problem}`));
  }
  return checkOutput(pending, read(pending, execution.result));
}

/** Reads any value that a tool threw outside of an execution, as the error of its call. */
export function readThrown(pending: PendingCall, thrown: unknown): InvocationError {
  return thrownFailure(pending, thrown).error;
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
  // A script reads the value.
  const isTextCut = result.isTextCut === true && structuredJson !== undefined && pending.caller !== 'chain';
  if (!result.isError) {
    return { content, text, structuredJson, isTextCut, error: undefined, mayPass: false, hadNoEffect: false };
  }
  return { content, structuredJson, isTextCut, ...declaredFailure(result, pending.runtime.scrub(text)) };
}

function failed(failure: ToolFailure): ToolOutput {
  return { content: [], structuredJson: undefined, isTextCut: false, ...failure };
}

const plainValueHint =
  '. A tool that returns a plain value is created by defineTool of @ravi/kernel; others return { content: [blocks], isError }';

// Returns what is wrong with the result of a tool, in plain words, or `undefined`. Unknown kinds of blocks are valid.
function problemWithResult(result: unknown): string | undefined {
  try {
    return findProblem(result);
  } catch {
    return 'it could not be read';
  }
}

function findProblem(result: unknown): string | undefined {
  if (typeof result !== 'object' || result === null) {
    return `got ${result === null ? 'null' : typeof result}, not an object${plainValueHint}`;
  }
  const { content, isError } = result as Partial<ToolExecutionResult>;
  if (content === undefined) return `it has no list of blocks as its content${plainValueHint}`;
  if (!Array.isArray(content)) return 'its content is not a list of blocks';
  if (typeof isError !== 'boolean') return 'its isError is not true or false';
  for (const [index, block] of (content as readonly unknown[]).entries()) {
    const type = (block as ContentBlock | null | undefined)?.type;
    if (typeof type !== 'string') return `its content block ${index} has no type`;
    if (!canBeUsed(block as ContentBlock)) return `its content block ${index} (${type}) is not complete`;
  }
  return undefined;
}

function canBeUsed(block: ContentBlock): boolean {
  try {
    return isComplete(block);
  } catch {
    return false;
  }
}

function isComplete(block: ContentBlock): boolean {
  switch (block.type) {
    case 'text':
      return typeof block.text === 'string';
    case 'error':
      return typeof block.message === 'string';
    case 'data':
      return JSON.stringify(block.data) !== undefined;
    case 'image':
    case 'audio':
    case 'document':
      return typeof block.mediaType === 'string' && isSource(block.source);
    default:
      return true;
  }
}

function isSource(source: unknown): boolean {
  const { kind, bytes, ref, url } = source as Readonly<Record<string, unknown>>;
  if (kind === 'bytes') return bytes instanceof Uint8Array;
  return kind === 'blob' ? typeof ref === 'string' : kind === 'url' && typeof url === 'string';
}

// A failure with its whole text, and as an error with a bounded message and checked fields.
interface ToolFailure extends Pick<ToolOutput, 'text' | 'mayPass' | 'hadNoEffect'> {
  readonly error: InvocationError;
}

// Reads any value that a tool threw.
function thrownFailure(pending: PendingCall, thrown: unknown): ToolFailure {
  const text = pending.runtime.scrub(messageOf(thrown) ?? `The tool ${pending.name} threw ${describe(thrown)}`);
  return failure(text === '' ? `The tool ${pending.name} failed` : text, fieldsOf(thrown));
}

// Reads a result with `isError`: `text` and the fields of its first error block.
function declaredFailure(result: ToolExecutionResult, text: string): ToolFailure {
  const block = result.content.find((each): each is ErrorBlock => each.type === 'error');
  return failure(text === '' ? 'The tool failed and gave no message' : text, { ...block });
}

// A failure that the invoker detected.
function foundFailure(text: string): ToolFailure {
  return failure(text, {});
}

function failure(text: string, fields: Readonly<Record<string, unknown>>): ToolFailure {
  const { code, retryable, retryAfterMs, hadNoEffect, isOfNetwork } = fields;
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
    mayPass: typeof retryable === 'boolean' ? retryable : isOfNetwork === true,
    hadNoEffect: hadNoEffect === true,
  };
}

// A thrown value may throw again when it is read.
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
    const { code, retryable, retryAfterMs, hadNoEffect, cause } = thrown as Readonly<Record<string, unknown>>;
    // Codes that start with `E_` are the runtime's own: a tool may use them only in a `KernelError`.
    const isForeign = String(code).startsWith('E_') && !isKernelError(thrown);
    const isOfNetwork =
      networkCodes.has(code) || (cause instanceof Error && networkCodes.has((cause as CodedError).code));
    return { code: isForeign ? undefined : code, retryable, retryAfterMs, hadNoEffect, isOfNetwork };
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
    return 'a value that cannot be printed';
  }
}
