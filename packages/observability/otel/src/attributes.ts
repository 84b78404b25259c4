import type { AttributeValue, Attributes } from '@opentelemetry/api';
import type { HookScope, ModelStopReason, ModelUsage } from '@ravi/kernel';

/** Attributes without those that are not there. */
export function given(attributes: Readonly<Record<string, AttributeValue | undefined>>): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter((entry) => entry[1] !== undefined));
}

/** What every span of a run says, by which the spans of one run or one conversation are found. */
export function placeOf({ runId, sessionId }: HookScope): Attributes {
  return { 'gen_ai.conversation.id': sessionId, 'ravi.run.id': runId };
}

/** Token counts; those of caches and of reasoning are parts of the others. */
export function usageAttributes(usage: ModelUsage): Attributes {
  return given({
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

/** The conventions' words for why a model stopped. */
export function finishReasonsOf(reason: ModelStopReason | undefined): string[] | undefined {
  return reason === undefined ? undefined : [finishReasons[reason]];
}

/** The conventions' name of a provider: that of ours, but for Google's. */
export function providerNameOf(id: string): string {
  return id === 'google' ? 'gcp.gemini' : id;
}
