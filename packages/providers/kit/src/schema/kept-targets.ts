import { isJsonObject } from '../wire.ts';
import { mapSubschemas, refPath, resolveRef } from './subschemas.ts';
import type { SchemaObject } from './subschemas.ts';

/**
 * Adds to a rewritten schema the targets of its references that exist only in the original, as definitions. References
 * into a tuple are changed to where 2020-12 has it.
 */
export function withKeptTargets(schema: SchemaObject, original: SchemaObject): SchemaObject {
  if (!JSON.stringify(schema).includes('"$ref"')) return schema;
  const given = isJsonObject(schema['$defs']) ? schema['$defs'] : {};
  const names = new Map<unknown, string>();
  const nameOf = (target: unknown, ref: string): string => {
    let name = names.get(target);
    for (let count = 1; name === undefined; count++) {
      const free = [...refPath(ref), ...(count === 1 ? [] : [count])].join('_').replaceAll(/[^a-zA-Z0-9_.-]/gu, '_');
      if (!Object.hasOwn(given, free) && ![...names.values()].includes(free)) names.set(target, (name = free));
    }
    return name;
  };
  const kept = (inner: unknown): unknown => {
    if (!isJsonObject(inner)) return inner;
    const copy = mapSubschemas(inner, kept);
    const { $ref } = copy;
    if (typeof $ref !== 'string' || resolveRef(schema, $ref) !== undefined) return copy;
    const moved = $ref.replaceAll(/\/items\/(?=\d+(?:\/|$))/gu, '/prefixItems/');
    if (resolveRef(schema, moved) !== undefined) return { ...copy, $ref: moved };
    const target = resolveRef(original, moved);
    return target === undefined ? copy : { ...copy, $ref: `#/$defs/${nameOf(target, moved)}` };
  };
  const whole = kept(schema) as SchemaObject;
  const targets: [string, unknown][] = [];
  // `names` grows during the loop.
  for (const [target, name] of names) targets.push([name, kept(target)]);
  if (targets.length === 0) return whole;
  return { ...whole, $defs: { ...(whole['$defs'] as SchemaObject | undefined), ...Object.fromEntries(targets) } };
}
