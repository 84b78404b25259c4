import type { JsonObject } from '@ravi/kernel';
import { portableSchema, strictSchema } from '@ravi/provider-kit';
import type { StrictRules } from '@ravi/provider-kit';

/** A schema for the answer: strict where it need not be rewritten, since nobody takes the nulls out of an answer again. */
export function outputSchema(
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
