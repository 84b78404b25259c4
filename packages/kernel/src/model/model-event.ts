import type { JsonObject } from '../base/json.ts';
import type { ContentBlock } from '../tool/content.ts';
import type { ModelUsage } from '../base/model-usage.ts';
import type { InvocationError } from '../tool/invocation-result.ts';

/**
 * Reason why a model stopped. `end`: it finished. `tool-use`: it waits for tool results. `length`: a limit cut it off.
 * `refusal`: the model or a filter refused. `pause`: the provider continues when the same conversation is sent again.
 * `other`: any other reason.
 */
export type ModelStopReason = 'end' | 'tool-use' | 'length' | 'refusal' | 'pause' | 'other';

/** Stable error codes of models. */
export type ModelErrorCode =
  | 'E_CANCELLED'
  | 'E_MODEL_AUTHENTICATION'
  | 'E_MODEL_CONTEXT_EXCEEDED'
  | 'E_MODEL_NO_CREDIT'
  | 'E_MODEL_OVERLOADED'
  | 'E_MODEL_PROTOCOL'
  | 'E_MODEL_RATE_LIMITED'
  | 'E_MODEL_REFUSED_REQUEST'
  | 'E_MODEL_TIMEOUT'
  | 'E_MODEL_TRUNCATED'
  | 'E_MODEL_UNAVAILABLE'
  | 'E_MODEL_UNREACHABLE';

/** Failure of a response. `code` is a {@link ModelErrorCode}, unless a third-party provider added its own. */
export interface ModelError extends InvocationError {
  /** HTTP status, if there was a response. */
  readonly status?: number;
  /** The provider's own error code. */
  readonly providerCode?: string;
  /** The provider's id of the request, for support requests. */
  readonly requestId?: string;
}

/** Part of a request that could not be sent as it was. The rest was sent. */
export interface ModelWarning {
  /**
   * `tool-dropped`: the tool is not offered. `tool-degraded`: it is offered with less (no strict mode, a simpler schema).
   * `block-dropped`: a block of the history was left out. `media-replaced`: media was moved or described in words.
   * `option-ignored`: the provider does not have this option.
   */
  readonly code: 'tool-dropped' | 'tool-degraded' | 'block-dropped' | 'media-replaced' | 'option-ignored';
  readonly message: string;
  /** Tool that the warning is about. */
  readonly tool?: string;
}

/**
 * One event of a response. Warnings come first. The last event is `finish` or `error`.
 *
 * The `block` events, in order, are the content of the assistant message. Each block is complete and sent once. Deltas
 * precede it, for display: those of a text or reasoning block join to its text, those of a tool call carry its id. A call
 * may run as soon as its block has arrived. A call whose block never arrives was not made.
 */
export type ModelEvent =
  | { readonly type: 'warning'; readonly warning: ModelWarning }
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly text: string }
  | { readonly type: 'tool-call-start'; readonly id: string; readonly name: string }
  /** `text` is a piece of the arguments as the model writes them. All pieces together are JSON. */
  | { readonly type: 'tool-call-delta'; readonly id: string; readonly text: string }
  | { readonly type: 'block'; readonly block: ContentBlock }
  /** Counts so far. Each event replaces the previous one. */
  | { readonly type: 'usage'; readonly usage: ModelUsage }
  | {
      readonly type: 'finish';
      readonly reason: ModelStopReason;
      readonly usage: ModelUsage;
      /** The provider's own name of the reason. */
      readonly providerReason?: string;
      /** The provider's id of the response. */
      readonly responseId?: string;
      /** Model that responded, as the provider names it. */
      readonly model?: string;
      /**
       * Facts of the response that no other field has, under the provider's own names, such as `stop_details`,
       * `service_tier`, `cost`, `annotations` and `logprobs`.
       */
      readonly details?: JsonObject;
    }
  | { readonly type: 'error'; readonly error: ModelError };
