import type { JsonObject, ModelRequest, ModelWarning } from '@ravi/kernel';
import type { ModelTraits } from './model-traits.ts';
import type { ApiVersion } from './wire-settings.ts';

/** Thinking parameters of a request and the matching token limit. */
export interface Thinking {
  readonly thinking?: JsonObject;
  readonly effort?: string;
  readonly maxTokens: number;
}

const minBudgetTokens = 1024;
const budgetOfEffort = { minimal: 1024, low: 2048, medium: 8192, high: 16_384, max: 24_576 } as const;

/** Returns a budget or an effort, depending on the model. A budget leaves room for the response. */
export function thinkingFor(request: ModelRequest, traits: ModelTraits, warnings: ModelWarning[]): Thinking {
  const { reasoning = {}, maxOutputTokens } = request;
  const { effort, budgetTokens, summary } = reasoning;
  const maxTokens = maxOutputTokens ?? traits.maxOutputTokens;
  const ignore = (message: string): Thinking => {
    warnings.push({ code: 'option-ignored', message });
    return { maxTokens };
  };
  if (effort === undefined && budgetTokens === undefined && summary !== true) return { maxTokens };
  if (traits.thinking === 'none')
    return effort === 'none' ? { maxTokens } : ignore('This model does not support thinking');
  if (effort === 'none') return { thinking: { type: 'disabled' }, maxTokens };
  const display = summary === true && traits.thinking !== 'manual' ? { display: 'summarized' } : {};
  const byEffort = effort === undefined ? undefined : budgetOfEffort[effort];
  const wanted = traits.thinking === 'manual' ? (budgetTokens ?? byEffort) : budgetTokens;
  if (traits.thinking !== 'adaptive' && wanted !== undefined) {
    const budget = Math.max(minBudgetTokens, wanted);
    const room = maxOutputTokens ?? Math.max(maxTokens, budget + minBudgetTokens * 4);
    if (room <= minBudgetTokens) return ignore(`${room} output tokens leave no tokens for thinking`);
    const thinking = { type: 'enabled', budget_tokens: Math.min(budget, room - 1), ...display };
    return { thinking, ...(traits.thinking === 'either' ? effortOf(effort) : {}), maxTokens: room };
  }
  if (traits.thinking === 'manual') return { maxTokens };
  if (budgetTokens !== undefined) ignore('This model does not support a thinking budget');
  return { thinking: { type: 'adaptive', ...display }, ...effortOf(effort), maxTokens };
}

function effortOf(effort: string | undefined): { readonly effort?: string } {
  return effort === undefined ? {} : { effort: effort === 'minimal' ? 'low' : effort };
}

/** Returns the sampling fields that the API version and the model support. */
export function sampling(
  request: ModelRequest,
  traits: ModelTraits,
  apiVersion: ApiVersion,
  isThinking: boolean,
  warnings: ModelWarning[],
): Readonly<Record<string, unknown>> {
  const { stopSequences, temperature, topP, topK, ...others } = request.sampling ?? {};
  const ignore = (name: string, why: string): void => {
    warnings.push({ code: 'option-ignored', message: `${name} is not sent: ${why}` });
  };
  for (const [name, value] of Object.entries(others)) {
    if (value !== undefined) ignore(name, 'the API does not support it');
  }
  const stop = { stop_sequences: stopSequences };
  const why = refusalOfSampling(traits, apiVersion, isThinking);
  if (why === undefined) return { temperature, top_p: topP, top_k: topK, ...stop };
  for (const [name, value] of Object.entries({ temperature, topP, topK })) if (value !== undefined) ignore(name, why);
  return stop;
}

function refusalOfSampling(traits: ModelTraits, apiVersion: ApiVersion, isThinking: boolean): string | undefined {
  if (apiVersion !== '2023-06-01') return `API version ${apiVersion} does not support it`;
  if (!traits.sampling) return 'the model rejects it';
  return isThinking ? 'the model rejects it while it thinks' : undefined;
}
