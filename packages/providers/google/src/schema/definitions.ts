import { isJsonObject, refPath } from '@ravi/provider-kit';
import type { SchemaObject } from '@ravi/provider-kit';

/** Definitions of a converted schema. */
export interface Definitions {
  /**
   * Returns the reference to a converted schema, the same one each time.
   * @param ref original reference, from which the definition gets its name
   */
  pointerTo(given: SchemaObject, ref: string): SchemaObject;
  /**
   * Converts all referenced schemas, directly or indirectly; `undefined` if there are none. A definition may reach
   * itself only through optional properties; any other circular reference becomes an untyped value and is reported to
   * `cut`.
   */
  converted(
    convert: (given: SchemaObject) => SchemaObject,
    cut: (pointer: string) => void,
  ): Readonly<Record<string, SchemaObject>> | undefined;
}

const prefix = '#/$defs/';

/** Creates definitions with names that every parser accepts. */
export function createDefinitions(): Definitions {
  const names = new Map<SchemaObject, string>();
  const taken = new Set<string>();

  const newName = (ref: string): string => {
    const path = refPath(ref);
    const words = path[0] === '$defs' || path[0] === 'definitions' ? path.slice(1) : path;
    const wanted = words.join('_').replaceAll(/[^a-zA-Z0-9_.-]/gu, '_') || 'root';
    let name = wanted;
    for (let count = 2; taken.has(name); count++) name = `${wanted}_${count}`;
    taken.add(name);
    return name;
  };

  return {
    pointerTo(given, ref) {
      let name = names.get(given);
      if (name === undefined) names.set(given, (name = newName(ref)));
      return { $ref: prefix + name };
    },
    converted(convert, cut) {
      const definitions = new Map<string, SchemaObject>();
      // `names` grows during the loop.
      for (const [given, name] of names) definitions.set(name, convert(given));
      return definitions.size === 0 ? undefined : withoutRequiredCycles(definitions, cut);
    },
  };
}

function withoutRequiredCycles(
  definitions: ReadonlyMap<string, SchemaObject>,
  report: (pointer: string) => void,
): Readonly<Record<string, SchemaObject>> {
  const references = new Map([...definitions].map(([name, schema]) => [name, referencesIn(schema)]));
  const cut = (schema: SchemaObject, owner: string, isRequired: boolean): SchemaObject => {
    const $ref = schema['$ref'];
    if (typeof $ref === 'string') {
      if (!isRequired || !reaches(references, nameIn($ref), owner)) return schema;
      report($ref);
      return {};
    }
    const required = Array.isArray(schema['required']) ? (schema['required'] as readonly string[]) : [];
    const copy: Record<string, unknown> = { ...schema };
    if (isJsonObject(schema['properties'])) {
      copy['properties'] = Object.fromEntries(
        Object.entries(schema['properties']).map(([name, inner]) => [
          name,
          cut(inner as SchemaObject, owner, isRequired && required.includes(name)),
        ]),
      );
    }
    for (const key of ['items', 'additionalProperties']) {
      if (isJsonObject(schema[key])) copy[key] = cut(schema[key], owner, isRequired);
    }
    for (const key of ['anyOf', 'prefixItems']) {
      if (Array.isArray(schema[key]))
        copy[key] = schema[key].map((inner: SchemaObject) => cut(inner, owner, isRequired));
    }
    return copy;
  };
  return Object.fromEntries([...definitions].map(([name, schema]) => [name, cut(schema, name, true)]));
}

function referencesIn(schema: SchemaObject): readonly string[] {
  const found = new Set<string>();
  JSON.stringify(schema, (key, value: unknown) => {
    if (key === '$ref' && typeof value === 'string' && value.startsWith(prefix)) found.add(nameIn(value));
    return value;
  });
  return [...found];
}

/** Returns true if the definition `from` refers to `target`, directly or indirectly. */
function reaches(references: ReadonlyMap<string, readonly string[]>, from: string, target: string): boolean {
  const seen = new Set([from]);
  for (const name of seen) {
    if (name === target) return true;
    for (const next of references.get(name) ?? []) seen.add(next);
  }
  return false;
}

function nameIn(pointer: string): string {
  return pointer.slice(prefix.length);
}
