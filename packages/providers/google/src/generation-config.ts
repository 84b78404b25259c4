import type { JsonObject, ModelReasoning, ModelRequest, ModelWarning } from '@ravi/kernel';
import { portableSchema, portableValueSchema, schemaInPromptWarning } from '@ravi/provider-kit';
import type { SchemaObject } from '@ravi/provider-kit';
import type { ModelTraits } from './model-traits.ts';
import { geminiSchema } from './schema/gemini-schema.ts';

/**
 * Returns sampling, output limit, thinking and output format of a request.
 * @param format result of {@link outputFormat}
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
 * Returns the fields of the output format; `undefined` if the schema must be part of the prompt: older models reject a
 * schema together with tools, and all models reject one that describes neither an object nor a list.
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

/** Thinking budgets by effort, as in Google's own adapter for other APIs. */
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
    if (effort !== 'none') warnings.push({ code: 'option-ignored', message: 'This model does not support thinking' });
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
