import type { ContentBlock } from '../tool/content.ts';
import type { InvocationError } from '../call/invocation-result.ts';

/** Token counts of one answer. */
export interface ModelUsage {
  /** All input, what came from a cache or went into one included. */
  readonly inputTokens: number;
  /** All output, reasoning included. */
  readonly outputTokens: number;
  /** The part of the input that came from the provider's cache. */
  readonly cachedInputTokens?: number;
  /** The part of the input that was written to the provider's cache. */
  readonly cacheWriteTokens?: number;
  /** The part of the output that was reasoning. */
  readonly reasoningTokens?: number;
}

/**
 * Why a model stopped: `end` it was done, `tool-use` it waits for results, `length` a limit cut it off, `refusal` it or
 * a filter refused, `pause` the provider wants the same conversation sent again to go on, `other` anything else.
 */
export type ModelStopReason = 'end' | 'tool-use' | 'length' | 'refusal' | 'pause' | 'other';

/** The stable codes of what can go wrong with a model. */
export type ModelErrorCode =
  | 'E_CANCELLED'
  | 'E_MODEL_AUTHENTICATION'
  | 'E_MODEL_CONTEXT_EXCEEDED'
  | 'E_MODEL_OVERLOADED'
  | 'E_MODEL_PROTOCOL'
  | 'E_MODEL_RATE_LIMITED'
  | 'E_MODEL_REFUSED_REQUEST'
  | 'E_MODEL_TIMEOUT'
  | 'E_MODEL_TRUNCATED'
  | 'E_MODEL_UNAVAILABLE';

/** Why an answer failed. `code` is a {@link ModelErrorCode} unless a third party's provider added its own. */
export interface ModelError extends InvocationError {
  /** HTTP status, when there was an answer. */
  readonly status?: number;
  /** The provider's own word for it. */
  readonly providerCode?: string;
  /** The provider's id of the request, for its support. */
  readonly requestId?: string;
}

/** Something of the request that could not be sent as it was; the rest was. */
export interface ModelWarning {
  /**
   * `tool-dropped` it is not offered, `tool-degraded` it is offered with less (no strict mode, a simpler schema),
   * `block-dropped` a block of the history stayed behind, `media-replaced` a medium was moved or described in words,
   * `option-ignored` the provider has no such option.
   */
  readonly code: 'tool-dropped' | 'tool-degraded' | 'block-dropped' | 'media-replaced' | 'option-ignored';
  readonly message: string;
  /** The tool that it is about. */
  readonly tool?: string;
}

/**
 * One event of an answer. Warnings come first; the last event is `finish` or `error`, and nothing follows it.
 *
 * The answer is its `block` events in order: put together they are the content of the assistant message, each whole and
 * sent once. Deltas announce them, for display: those of a text or reasoning block come before its block and join to its
 * text; those of a tool call carry its id. A call may run as soon as its block is there; a call whose block never comes
 * was never made.
 */
export type ModelEvent =
  | { readonly type: 'warning'; readonly warning: ModelWarning }
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly text: string }
  | { readonly type: 'tool-call-start'; readonly id: string; readonly name: string }
  /** `text` is a piece of the arguments as the model writes them: JSON, when all of it is there. */
  | { readonly type: 'tool-call-delta'; readonly id: string; readonly text: string }
  | { readonly type: 'block'; readonly block: ContentBlock }
  /** Counts so far; each replaces the one before. */
  | { readonly type: 'usage'; readonly usage: ModelUsage }
  | {
      readonly type: 'finish';
      readonly reason: ModelStopReason;
      readonly usage: ModelUsage;
      /** The provider's own word for the reason. */
      readonly providerReason?: string;
      /** The provider's id of the answer. */
      readonly responseId?: string;
      /** The model that answered, as the provider names it. */
      readonly model?: string;
    }
  | { readonly type: 'error'; readonly error: ModelError };
