import type { ContentBlock } from './content.ts';
import type { InvocationError } from './chain.ts';
import type { ToolSpec } from './tool-spec.ts';

/** One turn of a conversation. */
export interface ModelMessage {
  readonly role: 'user' | 'assistant';
  readonly content: readonly ContentBlock[];
}

/** What a model is asked. */
export interface ModelRequest {
  readonly system?: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ToolSpec[];
}

/** Token counts of one answer. */
export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** Why a model stopped. */
export type ModelStopReason = 'end' | 'tool-use' | 'length' | 'refusal';

/**
 * One event of an answer; the last one is `finish` or `error`. Text comes as `text-delta` alone, everything else as
 * whole blocks.
 */
export type ModelEvent =
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'block'; readonly block: ContentBlock }
  | { readonly type: 'finish'; readonly reason: ModelStopReason; readonly usage: ModelUsage }
  | { readonly type: 'error'; readonly error: InvocationError };

/** A language model. It never throws for a model or network failure: the stream ends with an `error` event. */
export interface ModelProvider {
  /** Key of `providerSpecs`. */
  readonly id: string;
  stream(request: ModelRequest, options: { readonly signal: AbortSignal }): AsyncIterable<ModelEvent>;
}
