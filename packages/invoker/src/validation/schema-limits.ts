import { KernelError } from '@ravi/kernel';
import type { JsonSchema } from '@ravi/kernel';

/** Largest schema that is compiled, in characters of JSON. */
const maxSchemaCharacters = 262_144;
/** Maximum nesting depth of a schema. */
const maxSchemaDepth = 64;
/** Maximum number of objects and lists in a schema; the largest real schema known has 1 247. */
const maxSchemaNodes = 4_000;

/** Refuses a schema that is too large to be compiled. @throws KernelError `E_TOOL_INVALID` naming the limit */
export function checkSchemaLimits(schema: JsonSchema, text: string): void {
  if (text.length > maxSchemaCharacters) {
    throw invalidSchema(`it is larger than ${maxSchemaCharacters} characters (${text.length})`);
  }
  let nodes = 0;
  function visit(value: unknown, depth: number): void {
    if (typeof value !== 'object' || value === null) return;
    if (depth > maxSchemaDepth) throw invalidSchema(`it nests deeper than ${maxSchemaDepth} levels`);
    if (++nodes > maxSchemaNodes) throw invalidSchema(`it has more than ${maxSchemaNodes} objects and lists`);
    for (const child of Object.values(value)) visit(child, depth + 1);
  }
  visit(schema, 1);
}

/** Returns the error of a schema that cannot be used. */
export function invalidSchema(reason: string, cause?: unknown): KernelError {
  return new KernelError('E_TOOL_INVALID', `The schema is not valid: ${reason}`, { cause });
}
