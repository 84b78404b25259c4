import type { ModelUsage } from '@ravi/kernel';

/** Prices of one model for a million tokens. What goes through the cache costs the full input price unless named. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  readonly cachedInput?: number;
  readonly cacheWrite?: number;
}

/** Prices by the name of the model, as requests or answers name it, or by the id of its provider; all in one currency. */
export type PriceTable = Readonly<Record<string, ModelPrice>>;

const million = 1_000_000;

/** What the tokens cost; `undefined` when the table does not know the model. */
export function costOf(prices: PriceTable | undefined, model: string, usage: ModelUsage): number | undefined {
  if (prices === undefined || !Object.hasOwn(prices, model)) return undefined;
  const price = prices[model] as ModelPrice;
  const { inputTokens, outputTokens, cachedInputTokens = 0, cacheWriteTokens = 0 } = usage;
  const plain = Math.max(0, inputTokens - cachedInputTokens - cacheWriteTokens);
  return (
    (plain * price.input +
      cachedInputTokens * (price.cachedInput ?? price.input) +
      cacheWriteTokens * (price.cacheWrite ?? price.input) +
      outputTokens * price.output) /
    million
  );
}
