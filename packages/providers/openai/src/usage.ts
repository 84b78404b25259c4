import type { ModelUsage } from '@ravi/kernel';

interface WireUsage {
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly prompt_tokens?: number;
  readonly completion_tokens?: number;
  readonly input_tokens_details?: WireDetails | null;
  readonly output_tokens_details?: WireDetails | null;
  readonly prompt_tokens_details?: WireDetails | null;
  readonly completion_tokens_details?: WireDetails | null;
}

interface WireDetails {
  readonly cached_tokens?: number;
  readonly cache_write_tokens?: number;
  readonly reasoning_tokens?: number;
}

/** Returns the token counts of either API; `undefined` if there are none. */
export function usageOf(value: unknown): ModelUsage | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const usage = value as WireUsage;
  const input = usage.input_tokens_details ?? usage.prompt_tokens_details;
  const output = usage.output_tokens_details ?? usage.completion_tokens_details;
  return {
    inputTokens: count(usage.input_tokens ?? usage.prompt_tokens) ?? 0,
    outputTokens: count(usage.output_tokens ?? usage.completion_tokens) ?? 0,
    ...named('cachedInputTokens', input?.cached_tokens),
    ...named('cacheWriteTokens', input?.cache_write_tokens),
    ...named('reasoningTokens', output?.reasoning_tokens),
  };
}

function named(name: string, value: unknown): Partial<ModelUsage> {
  const found = count(value);
  return found === undefined ? {} : { [name]: found };
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
