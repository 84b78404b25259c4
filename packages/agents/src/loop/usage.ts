import type { ModelUsage } from '@ravi/kernel';

/** The sum of two; a part that neither names stays absent. */
export function addUsage(left: ModelUsage, right: ModelUsage): ModelUsage {
  return {
    inputTokens: left.inputTokens + right.inputTokens,
    outputTokens: left.outputTokens + right.outputTokens,
    ...sumOf('cachedInputTokens', left, right),
    ...sumOf('cacheWriteTokens', left, right),
    ...sumOf('reasoningTokens', left, right),
  };
}

function sumOf<Part extends 'cachedInputTokens' | 'cacheWriteTokens' | 'reasoningTokens'>(
  part: Part,
  left: ModelUsage,
  right: ModelUsage,
): { readonly [Key in Part]?: number } {
  if (left[part] === undefined && right[part] === undefined) return {};
  return { [part]: (left[part] ?? 0) + (right[part] ?? 0) } as { readonly [Key in Part]: number };
}
