import type { ContentBlock } from '../tool/content.ts';
import type { JsonObject, JsonSchema } from '../base/json.ts';
import type { ToolSpec } from '../tool/tool-spec.ts';
import type { BlobReader } from '../blob/blob-store.ts';
import type { ModelEvent } from './model-event.ts';

/**
 * One message of a conversation. Results of tool calls are `tool_result` blocks in the user message that follows the
 * assistant message with the calls.
 */
export interface ModelMessage {
  readonly role: 'user' | 'assistant';
  readonly content: readonly ContentBlock[];
}

/**
 * Tools that the model may or must call: any (`auto`, the default), none, at least one, or at least one of the named.
 * A provider that cannot restrict the choice to several names receives the narrowest choice that includes them all.
 */
export type ToolChoice = 'auto' | 'none' | 'required' | { readonly oneOf: readonly string[] };

/** Sampling parameters. Only fields that are set are sent, because many models refuse these fields. */
export interface ModelSampling {
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly seed?: number;
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  readonly stopSequences?: readonly string[];
}

/** Amount of reasoning before a response. */
export interface ModelReasoning {
  /** Mapped to the nearest level of the provider. */
  readonly effort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'max';
  /** For providers that take a number of tokens instead of a level. */
  readonly budgetTokens?: number;
  /** True to request readable text of the reasoning, if the provider has any. */
  readonly summary?: boolean;
}

/** Requires a final response in JSON that matches a schema. */
export interface ModelOutput {
  readonly schema: JsonSchema;
  /** Name of the schema for providers that require one. Default `answer`. */
  readonly name?: string;
  readonly description?: string;
}

/** Request to a model. */
export interface ModelRequest {
  /** Model of the same provider to use instead of the configured one. */
  readonly model?: string;
  readonly system?: string;
  readonly messages: readonly ModelMessage[];
  /** Keep the order stable, because providers cache by prefix. */
  readonly tools: readonly ToolSpec[];
  readonly toolChoice?: ToolChoice;
  /** `false` requests at most one call per response. */
  readonly parallelToolCalls?: boolean;
  /** Includes reasoning, if the provider counts it. */
  readonly maxOutputTokens?: number;
  readonly sampling?: ModelSampling;
  readonly reasoning?: ModelReasoning;
  readonly output?: ModelOutput;
  /** Labels for the provider's own logs. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Fields of the provider's own request, by provider id. They override the fields that the encoder wrote. */
  readonly providerOptions?: Readonly<Record<string, JsonObject>>;
}

/** Options of {@link ModelProvider.stream}. */
export interface ModelCallOptions {
  /** Ends the response with an `E_CANCELLED` error event and closes the connection. */
  readonly signal: AbortSignal;
  /** Reads media blocks that are in a blob store. Without it they are described in words. */
  readonly blobs?: BlobReader;
  /** Maximum retries by the provider, instead of its own setting. A caller that retries itself passes 0. */
  readonly maxRetries?: number;
}

/** Language model. It does not throw when the model or the network fails: the stream ends with an `error` event. */
export interface ModelProvider {
  /** Key of `providerOptions`. */
  readonly id: string;
  /** Default model for requests that do not name one. */
  readonly model?: string;
  /**
   * Keys of `providerSpecs` that the provider understands, one for each of its interfaces, such as `openai/responses`;
   * the id by default. One that delegates to several providers has the keys of all, and receives the tool specs of each.
   */
  readonly interfaces?: readonly string[];
  /**
   * Returns the tokens that a request to a model of the provider, by default its own, may have together with the response;
   * `undefined` if the provider does not know them. Without it no model is known.
   */
  contextTokens?(model?: string): number | undefined;
  stream(request: ModelRequest, options: ModelCallOptions): AsyncIterable<ModelEvent>;
}
