/** Stable error codes of this project. Third-party adapters may add their own with the prefix `E_`. */
export type KernelErrorCode =
  | 'E_APPROVAL_DENIED'
  | 'E_APPROVAL_EXPIRED'
  | 'E_APPROVAL_NO_HANDLER'
  | 'E_ARGUMENTS_INVALID'
  | 'E_ARTIFACT_FORBIDDEN'
  | 'E_BLOB_CORRUPT'
  | 'E_BLOB_NOT_FOUND'
  | 'E_BLOB_TOO_LARGE'
  | 'E_BLOB_UNAVAILABLE'
  | 'E_BUDGET_EXHAUSTED'
  | 'E_CALL_TIMEOUT'
  | 'E_CALL_UNKNOWN'
  | 'E_CANCELLED'
  | 'E_COMPLETION_EXPIRED'
  | 'E_CONFIG_INVALID'
  | 'E_ENGINE_UNAVAILABLE'
  | 'E_INTERNAL'
  | 'E_LIMIT_CALLS'
  | 'E_LIMIT_FILES'
  | 'E_LIMIT_CALL_INPUT'
  | 'E_LIMIT_CALL_OUTPUT'
  | 'E_LIMIT_CONSOLE'
  | 'E_LIMIT_CPU'
  | 'E_LIMIT_MEMORY'
  | 'E_LIMIT_RESULT'
  | 'E_LIMIT_SOURCE'
  | 'E_LIMIT_STACK'
  | 'E_LIMIT_WALL'
  | 'E_NOT_STARTED'
  | 'E_OUTPUT_INVALID'
  | 'E_PLUGIN_INVALID'
  | 'E_PLUGIN_NOT_FOUND'
  | 'E_RESULT_NOT_JSON'
  | 'E_RUN_CHANGED'
  | 'E_RUN_DIVERGED'
  | 'E_RUN_NOT_FOUND'
  | 'E_RUN_SUSPENDED'
  | 'E_SANDBOX_CRASHED'
  | 'E_SANDBOX_UNAVAILABLE'
  | 'E_SCRIPT_DEADLOCK'
  | 'E_SCRIPT_FAILED'
  | 'E_SCRIPT_SYNTAX'
  | 'E_SCRIPT_TYPES'
  | 'E_SCRIPT_UNCHECKED'
  | 'E_KEY_REUSED'
  | 'E_SESSION_BUSY'
  | 'E_SESSION_CLOSED'
  | 'E_SIGN_IN_REQUIRED'
  | 'E_SNIPPET_CORRUPT'
  | 'E_SNIPPET_INVALID'
  | 'E_SNIPPET_OUTDATED'
  | 'E_SNIPPET_UNAVAILABLE'
  | 'E_SOURCE_UNAVAILABLE'
  | 'E_STATE_CONFLICT'
  | 'E_STATE_CORRUPT'
  | 'E_STATE_INVALID'
  | 'E_STATE_UNAVAILABLE'
  | 'E_TOOLS_DISABLED'
  | 'E_TOOL_ABSENT'
  | 'E_TOOL_FAILED'
  | 'E_TOOL_INVALID'
  | 'E_TOOL_NAME_CONFLICT'
  | 'E_TOOL_NOT_ALLOWED'
  | 'E_TOOL_NOT_CALLABLE'
  | 'E_TOOL_UNKNOWN'
  | 'E_UNSUPPORTED';

/** Options of a {@link KernelError}. */
export interface KernelErrorOptions {
  /** The underlying error. Never shown to a script or a model. */
  readonly cause?: unknown;
  /** True if the same call may succeed later. Default `false`. */
  readonly retryable?: boolean;
  /** Milliseconds to wait before a retry, if the other side sent a value. */
  readonly retryAfterMs?: number;
  /**
   * True if the call that failed certainly had no effect, such as one that the other side refused before it did anything. A
   * retryable error of this kind is repeated even if the tool is not idempotent. Default `false`.
   */
  readonly hadNoEffect?: boolean;
}

/**
 * Error that the caller of a port may handle, identified by its stable `code`. A failure that a model should read is a
 * value instead (`InvocationResult`), and a bug is a `TypeError`.
 */
export class KernelError extends Error {
  override readonly name = 'KernelError';
  readonly code: string;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  readonly hadNoEffect: boolean;

  constructor(code: KernelErrorCode | (string & {}), message: string, options: KernelErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryable = options.retryable ?? false;
    this.retryAfterMs = options.retryAfterMs;
    this.hadNoEffect = options.hadNoEffect ?? false;
  }
}

/**
 * Returns true if `error` is a {@link KernelError}, and has `code` if one is given. It compares the name and not the
 * class, so it works across two copies of this package in one process.
 */
export function isKernelError(error: unknown, code?: KernelErrorCode | (string & {})): error is KernelError {
  if (!(error instanceof Error) || error.name !== 'KernelError') return false;
  return code === undefined || (error as KernelError).code === code;
}
