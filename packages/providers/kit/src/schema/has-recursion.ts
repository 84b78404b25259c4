import { isSchemaObject, mapSubschemas, resolveRef } from './subschemas.ts';
import type { SchemaObject } from './subschemas.ts';

/** Whether a schema leads back to a place within itself, by whatever local references. */
export function hasRecursion(root: SchemaObject): boolean {
  if (!JSON.stringify(root).includes('"$ref"')) return false;
  const open = new Set<SchemaObject>();
  const closed = new Set<SchemaObject>();
  const leadsBack = (schema: unknown): boolean => {
    if (!isSchemaObject(schema) || closed.has(schema)) return false;
    if (open.has(schema)) return true;
    open.add(schema);
    const { $ref } = schema;
    let isBack = typeof $ref === 'string' && leadsBack(resolveRef(root, $ref));
    mapSubschemas(schema, (inner) => (isBack ||= leadsBack(inner)));
    open.delete(schema);
    closed.add(schema);
    return isBack;
  };
  return leadsBack(root);
}
