import type { JsonObject, ModelWarning } from '@ravi/kernel';
import { createNameMap } from './names.ts';
import { portableSchema } from './schema/portable-schema.ts';
import { strictSchema } from './schema/strict-schema.ts';
import type { StrictRules } from './schema/strict-schema.ts';

/** Output schema as it is sent, or the reason why it can only be part of the prompt. */
export type ResponseSchema = { readonly schema: JsonObject; readonly strict: boolean } | { readonly refused: string };

/**
 * Prepares an output schema: strict only if it need not be rewritten, because added nulls are not removed from a
 * response. Refused if the schema does not describe an object.
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

/** Returns the name of an output schema for APIs that need one. */
export function responseSchemaName({ name }: { readonly name?: string }): string {
  return names.toWire(name ?? 'answer');
}

/** Appends an output schema to the system prompt, for a server that does not accept it otherwise. */
export function withSchemaInPrompt(system: string | undefined, schema: unknown): string {
  const kind = 'refused' in portableSchema(schema) ? 'value' : 'object';
  const words = `Answer with one JSON ${kind} that fits this JSON Schema, and nothing else: ${JSON.stringify(schema)}`;
  return system === undefined || system === '' ? words : `${system}\n\n${words}`;
}

/** Returns the warning for an output schema that is sent in the prompt. */
export function schemaInPromptWarning(): ModelWarning {
  const message = 'The output schema is sent in the prompt, because it does not describe an object';
  return { code: 'option-ignored', message };
}
