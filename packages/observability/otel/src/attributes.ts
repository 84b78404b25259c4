import type { AttributeValue, Attributes } from '@opentelemetry/api';
import type { EventScope, ModelStopReason, ModelUsage } from '@ravi/kernel';

/** Returns the attributes that have a value. */
export function withoutUndefined(attributes: Readonly<Record<string, AttributeValue | undefined>>): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter((entry) => entry[1] !== undefined));
}

/** Returns the attributes of every span of a run, by which the spans of one run or one conversation can be found. */
export function scopeAttributes({ runId, sessionId }: EventScope): Attributes {
  return { 'gen_ai.conversation.id': sessionId, 'ravi.run.id': runId };
}

/** Returns token counts. Cached and reasoning tokens are included in the input and output tokens. */
export function usageAttributes(usage: ModelUsage): Attributes {
  return withoutUndefined({
    'gen_ai.usage.input_tokens': usage.inputTokens,
    'gen_ai.usage.output_tokens': usage.outputTokens,
    'gen_ai.usage.cache_read.input_tokens': usage.cachedInputTokens,
    'gen_ai.usage.cache_write.input_tokens': usage.cacheWriteTokens,
    'gen_ai.usage.reasoning.output_tokens': usage.reasoningTokens,
  });
}

const finishReasons: Readonly<Record<ModelStopReason, string>> = {
  end: 'stop',
  'tool-use': 'tool_call',
  length: 'length',
  refusal: 'content_filter',
  pause: 'pause',
  other: 'other',
};

/** Returns the finish reasons of the conventions for a stop reason. */
export function finishReasonsOf(reason: ModelStopReason | undefined): string[] | undefined {
  return reason === undefined ? undefined : [finishReasons[reason]];
}

/** Returns the provider name of the conventions, which differs from ours only for Google. */
export function providerNameOf(id: string): string {
  return id === 'google' ? 'gcp.gemini' : id;
}
