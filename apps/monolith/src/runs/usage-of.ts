import { costOf } from '@ravi/agents';
import type { PriceTable } from '@ravi/agents';
import type { HookPayloads, JsonObject } from '@ravi/kernel';

/** The end of one answer of a model. */
export type AnswerEnd = Pick<HookPayloads['llm-end'], 'step' | 'provider' | 'model' | 'usage'>;

/** What an answer used, with its cost where the model has a price. */
export function usageOf({ step, provider, model, usage }: AnswerEnd, prices: PriceTable | undefined): JsonObject {
  const named = model === undefined ? undefined : costOf(prices, model, usage);
  const cost = named ?? costOf(prices, provider, usage);
  return {
    step,
    provider,
    ...(model === undefined ? {} : { model }),
    ...usage,
    ...(cost === undefined ? {} : { cost }),
  };
}
