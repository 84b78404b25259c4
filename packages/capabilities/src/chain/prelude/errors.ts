import type { PreludeBuiltins } from './builtins.ts';

/** A failed call as the host describes it. */
export interface CallFailure {
  readonly status: 'error' | 'denied';
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly retryAfterMs?: number;
}

/** The error classes of scripts. */
export interface ScriptErrors {
  readonly classes: Readonly<Record<string, unknown>>;
  /** Returns the error of a failed call, as an instance of the class for its code. */
  errorOf(failure: CallFailure, tool: string): Error;
}

/**
 * Creates `ToolError` and its subclasses.
 * Runs in the guest: it must refer to nothing outside itself.
 */
export function createScriptErrors(builtins: PreludeBuiltins): ScriptErrors {
  const { defineProperty } = builtins;

  class ToolError extends builtins.Error {
    declare readonly tool: string;
    declare readonly status: string;
    declare readonly code: string;
    declare readonly retryable: boolean;
    declare readonly retryAfterMs: number | undefined;

    constructor(message?: string, fields?: Partial<CallFailure> & { readonly tool?: string }) {
      super(message);
      const values = [
        ['tool', fields?.tool],
        ['status', fields?.status ?? 'error'],
        ['code', fields?.code ?? 'E_TOOL_FAILED'],
        ['retryable', fields?.retryable ?? false],
        ['retryAfterMs', fields?.retryAfterMs],
      ] as const;
      for (let index = 0; index < values.length; index++) {
        const entry = values[index] as (typeof values)[number];
        if (entry[1] === undefined) continue;
        defineProperty(this, entry[0], { value: entry[1], enumerable: true, configurable: true, writable: true });
      }
    }
  }
  class ToolDeniedError extends ToolError {}
  class ToolTimeoutError extends ToolError {}
  class BudgetError extends ToolError {}

  const classes = { ToolError, ToolDeniedError, ToolTimeoutError, BudgetError };
  name(ToolError, 'ToolError');
  name(ToolDeniedError, 'ToolDeniedError');
  name(ToolTimeoutError, 'ToolTimeoutError');
  name(BudgetError, 'BudgetError');

  return {
    classes,
    errorOf(failure, tool) {
      const { status, code, message, retryable, retryAfterMs } = failure;
      const fields = { tool, status, code, retryable, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
      if (status === 'denied') return new ToolDeniedError(message, fields);
      if (code === 'E_CALL_TIMEOUT') return new ToolTimeoutError(message, fields);
      if (code === 'E_BUDGET_EXHAUSTED') return new BudgetError(message, fields);
      return new ToolError(message, fields);
    },
  };

  function name(errorClass: { readonly prototype: object }, value: string): void {
    defineProperty(errorClass.prototype, 'name', { value, configurable: true, writable: true });
  }
}
