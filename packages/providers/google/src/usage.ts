import type { ModelUsage } from '@ravi/kernel';

/**
 * Returns the token counts of a response; `undefined` without counts. Gemini counts thoughts and the input of hosted
 * tools separately.
 */
export function usageOf(value: unknown): ModelUsage | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const count = (name: string): number | undefined => {
    const found = (value as Readonly<Record<string, unknown>>)[name];
    return typeof found === 'number' && Number.isFinite(found) ? found : undefined;
  };
  const thoughts = count('thoughtsTokenCount');
  const cached = count('cachedContentTokenCount');
  return {
    inputTokens: (count('promptTokenCount') ?? 0) + (count('toolUsePromptTokenCount') ?? 0),
    outputTokens: (count('candidatesTokenCount') ?? 0) + (thoughts ?? 0),
    ...(cached === undefined ? {} : { cachedInputTokens: cached }),
    ...(thoughts === undefined ? {} : { reasoningTokens: thoughts }),
  };
}
