import type { JsonObject, ModelWarning } from '@ravi/kernel';
import { createNameMap } from './names.ts';
import { portableSchema } from './schema/portable-schema.ts';
import { strictSchema } from './schema/strict-schema.ts';
import type { StrictRules } from './schema/strict-schema.ts';

/** A schema for the answer as it goes out, or why it can only be told in words. */
export type ResponseSchema = { readonly schema: JsonObject; readonly strict: boolean } | { readonly refused: string };

/**
 * A schema for the answer: strict where it need not be rewritten, since nobody takes the nulls out of an answer again.
 * Refused where the answer is to be no object.
 */
export function responseSchema(given: unknown, rules: StrictRules | undefined): ResponseSchema {
  const portable = portableSchema(given);
  if ('refused' in portable) return portable;
  const strict = rules === undefined ? undefined : strictSchema(portable.schema, rules);
  if (strict === undefined || 'refused' in strict || strict.isRewritten) {
    return { schema: portable.schema as JsonObject, strict: false };
  }
  return { schema: strict.schema as JsonObject, strict: true };
}

const names = createNameMap([]);

/** What the schema for the answer is called where it needs a name. */
export function responseSchemaName({ name }: { readonly name?: string }): string {
  return names.toWire(name ?? 'answer');
}

/** A schema for the answer in words, for a server that takes none or not this one: behind the system prompt. */
export function withSchemaInPrompt(system: string | undefined, schema: unknown): string {
  const kind = 'refused' in portableSchema(schema) ? 'value' : 'object';
  const words = `Answer with one JSON ${kind} that fits this JSON Schema, and nothing else: ${JSON.stringify(schema)}`;
  return system === undefined || system === '' ? words : `${system}\n\n${words}`;
}

/** The warning for a schema that goes into words, because a provider takes none of its kind. */
export function schemaInPromptWarning(): ModelWarning {
  const message = 'The schema of the answer goes out in words, because it is none of an object';
  return { code: 'option-ignored', message };
}
