import type { JsonObject, ModelReasoning, ModelRequest, ModelWarning } from '@ravi/kernel';
import { portableSchema, portableValueSchema, schemaInPromptWarning } from '@ravi/provider-kit';
import type { SchemaObject } from '@ravi/provider-kit';
import type { ModelTraits } from './model-traits.ts';
import { geminiSchema } from './schema/gemini-schema.ts';

/**
 * How the answer is drawn, how long it may be, how much is thought, and what shape it has.
 * @param format of {@link outputFormat}
 */
export function generationConfig(
  request: ModelRequest,
  traits: ModelTraits,
  format: JsonObject | undefined,
  warnings: ModelWarning[],
): JsonObject | undefined {
  const { sampling = {}, maxOutputTokens } = request;
  const config = {
    temperature: sampling.temperature,
    topP: sampling.topP,
    topK: sampling.topK,
    seed: sampling.seed,
    presencePenalty: sampling.presencePenalty,
    frequencyPenalty: sampling.frequencyPenalty,
    stopSequences: sampling.stopSequences,
    maxOutputTokens,
    thinkingConfig: thinkingConfig(request.reasoning, traits, warnings),
    ...format,
  };
  const entries = Object.entries(config).filter(([, value]) => value !== undefined);
  return entries.length === 0 ? undefined : (Object.fromEntries(entries) as JsonObject);
}

/**
 * The fields for the shape of the answer; `undefined` where it has to be told in words: older models refuse a schema beside
 * tools, and all of them one of neither an object nor a list.
 */
export function outputFormat(
  { output, tools }: ModelRequest,
  { mixes }: ModelTraits,
  warnings: ModelWarning[],
): JsonObject | undefined {
  if (output === undefined) return undefined;
  const portable = responseShape(output.schema);
  if (portable === undefined) warnings.push(schemaInPromptWarning());
  if (portable === undefined || (!mixes && tools.length > 0)) return undefined;
  return { responseMimeType: 'application/json', responseJsonSchema: geminiSchema(portable).schema as JsonObject };
}

function responseShape(given: unknown): SchemaObject | undefined {
  const object = portableSchema(given);
  if ('schema' in object) return object.schema;
  const value = portableValueSchema(given);
  return 'schema' in value && value.schema['type'] === 'array' ? value.schema : undefined;
}

type Effort = NonNullable<ModelReasoning['effort']>;

/** The tokens that Google's own adapter for other interfaces gives each step. */
const budgets: Readonly<Record<Effort, number>> = {
  none: 0,
  minimal: 512,
  low: 1024,
  medium: 8192,
  high: 24_576,
  max: 24_576,
};
const levels: Readonly<Record<Effort, string>> = {
  none: 'MINIMAL',
  minimal: 'MINIMAL',
  low: 'LOW',
  medium: 'MEDIUM',
  high: 'HIGH',
  max: 'HIGH',
};
const leastBudget = 128;

function thinkingConfig(
  reasoning: ModelReasoning | undefined,
  { thinking, alwaysThinks }: ModelTraits,
  warnings: ModelWarning[],
): JsonObject | undefined {
  const { effort, budgetTokens, summary } = reasoning ?? {};
  if (effort === undefined && budgetTokens === undefined && summary !== true) return undefined;
  if (thinking === 'none') {
    if (effort !== 'none') warnings.push({ code: 'option-ignored', message: 'This model does not think' });
    return undefined;
  }
  const shown = summary === true ? { includeThoughts: true } : {};
  if (budgetTokens !== undefined) return { ...shown, thinkingBudget: budgetTokens };
  if (effort === undefined) return shown;
  if (thinking === 'budget') {
    return { ...shown, thinkingBudget: alwaysThinks ? Math.max(leastBudget, budgets[effort]) : budgets[effort] };
  }
  const level = levels[effort];
  return { ...shown, thinkingLevel: alwaysThinks && level === 'MINIMAL' ? 'LOW' : level };
}
