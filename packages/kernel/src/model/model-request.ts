import type { ContentBlock } from '../tool/content.ts';
import type { JsonObject, JsonSchema } from '../base/json.ts';
import type { ToolSpec } from '../tool/tool-spec.ts';

/**
 * One turn of a conversation. Results of tools stand as `tool_result` blocks in the user message that follows the
 * assistant message of their calls.
 */
export interface ModelMessage {
  readonly role: 'user' | 'assistant';
  readonly content: readonly ContentBlock[];
}

/**
 * Which tools the model may or must call: as it likes (`auto`, the default), none, at least one, or at least one of
 * the named. A provider that cannot restrict to several names is told the narrowest choice that holds them all.
 */
export type ToolChoice = 'auto' | 'none' | 'required' | { readonly oneOf: readonly string[] };

/** How the next token is drawn. Nothing of it is sent unless set: many models refuse these fields. */
export interface ModelSampling {
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly seed?: number;
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  readonly stopSequences?: readonly string[];
}

/** How much a model thinks before it answers. */
export interface ModelReasoning {
  /** In the provider's nearest step. */
  readonly effort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'max';
  /** For providers that count tokens instead of steps. */
  readonly budgetTokens?: number;
  /** Asks for readable text of the reasoning, where the provider gives any. */
  readonly summary?: boolean;
}

/** The final answer is JSON that fits a schema. */
export interface ModelOutput {
  readonly schema: JsonSchema;
  /** For providers that want one; `answer` when absent. */
  readonly name?: string;
  readonly description?: string;
}

/** What a model is asked. */
export interface ModelRequest {
  /** Another model of the same provider than the one it was configured with. */
  readonly model?: string;
  readonly system?: string;
  readonly messages: readonly ModelMessage[];
  /** In a stable order: providers cache by prefix. */
  readonly tools: readonly ToolSpec[];
  readonly toolChoice?: ToolChoice;
  /** `false` asks for at most one call per answer. */
  readonly parallelToolCalls?: boolean;
  /** Reasoning included, where the provider counts it. */
  readonly maxOutputTokens?: number;
  readonly sampling?: ModelSampling;
  readonly reasoning?: ModelReasoning;
  readonly output?: ModelOutput;
  /** Labels for the provider's own logs. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Fields of the provider's own request, by provider id; they win over what the encoder wrote. */
  readonly providerOptions?: Readonly<Record<string, JsonObject>>;
}
