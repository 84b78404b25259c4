import type { JsonObject } from '@ravi/kernel';
import { portableSchema } from './schema/portable-schema.ts';
import { strictSchema } from './schema/strict-schema.ts';
import type { StrictRules } from './schema/strict-schema.ts';

/** A schema for the answer: strict where it need not be rewritten, since nobody takes the nulls out of an answer again. */
export function answerSchema(
  given: unknown,
  rules: StrictRules | undefined,
): { readonly schema: JsonObject; readonly strict: boolean } {
  const portable = portableSchema(given);
  if ('refused' in portable) return { schema: { type: 'object' }, strict: false };
  const strict = rules === undefined ? undefined : strictSchema(portable.schema, rules);
  if (strict === undefined || 'refused' in strict || strict.isRewritten) {
    return { schema: portable.schema as JsonObject, strict: false };
  }
  return { schema: strict.schema as JsonObject, strict: true };
}

/** A schema for the answer in words, for a server that takes none: behind the system prompt. */
export function withSchemaInWords(system: string | undefined, schema: unknown): string {
  const words = `Answer with one JSON object that fits this JSON Schema, and nothing else: ${JSON.stringify(schema)}`;
  return system === undefined || system === '' ? words : `${system}\n\n${words}`;
}
