import type { ContentBlock, ModelEvent, ModelMessage, ModelRequest, ModelUsage } from '@ravi/kernel';
import { array, boolean, enumOf, object, sameAs, string, typed } from './schema.ts';
import type { Schema, ValueOf } from './schema.ts';
import { count, jsonObject, jsonValue } from './values.ts';

/** Tokens that a model used. */
export const usageSchema = sameAs<ModelUsage>()(
  object(
    { inputTokens: count, outputTokens: count },
    { cachedInputTokens: count, cacheWriteTokens: count, reasoningTokens: count },
  ),
);

/** A piece of a message, tagged by `type`. */
export const contentBlockSchema: Schema<ContentBlock> = typed({ type: 'object' });

/** A message of a conversation. */
export const messageSchema = sameAs<ModelMessage>()(
  object({ role: enumOf(['user', 'assistant']), content: array(contentBlockSchema) }),
);

/** A request to a model. */
const modelRequestSchema: Schema<ModelRequest> = typed(
  object(
    { messages: array(messageSchema), tools: array(jsonObject) },
    {
      model: string(),
      system: string(),
      toolChoice: jsonValue,
      parallelToolCalls: boolean(),
      maxOutputTokens: count,
      sampling: jsonObject,
      reasoning: jsonObject,
      output: jsonValue,
      metadata: jsonObject,
      providerOptions: jsonObject,
    },
  ),
);

/** The last event of a response of a model. */
type ModelEnd = Extract<ModelEvent, { readonly type: 'finish' | 'error' }>;
const modelEndSchema: Schema<ModelEnd> = typed({ type: 'object' });

/** A request to a model and its response. */
export const exchangeSchema = object({
  step: count,
  request: modelRequestSchema,
  answer: object({ blocks: array(contentBlockSchema) }, { end: modelEndSchema }),
});

/** A request to a model and its response. */
export type Exchange = ValueOf<typeof exchangeSchema>;
