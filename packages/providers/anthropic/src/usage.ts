import type { ModelUsage } from '@ravi/kernel';

type Counts = Readonly<Record<string, unknown>>;

/** Counter of tokens that arrive in parts; later counts replace earlier ones. */
export interface UsageCounter {
  /** Adds counts and returns the totals; `undefined` if `usage` has no counts. */
  take(usage: unknown): ModelUsage | undefined;
}

/**
 * Creates a counter. Input tokens are the sum of uncached tokens, cache reads and cache writes, which this API counts
 * separately.
 */
export function createUsageCounter(): UsageCounter {
  let known: Counts = {};

  return {
    take(usage) {
      if (typeof usage !== 'object' || usage === null) return undefined;
      known = { ...known, ...Object.fromEntries(Object.entries(usage).filter(([, value]) => value != null)) };
      const read = count(known['cache_read_input_tokens']);
      const written = count(known['cache_creation_input_tokens']);
      const thought = count((known['output_tokens_details'] as Counts | undefined)?.['thinking_tokens']);
      return {
        inputTokens: (count(known['input_tokens']) ?? 0) + (read ?? 0) + (written ?? 0),
        outputTokens: count(known['output_tokens']) ?? 0,
        ...(read === undefined ? {} : { cachedInputTokens: read }),
        ...(written === undefined ? {} : { cacheWriteTokens: written }),
        ...(thought === undefined ? {} : { reasoningTokens: thought }),
      };
    },
  };
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
