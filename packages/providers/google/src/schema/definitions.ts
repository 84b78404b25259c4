import { isJsonObject, refPath } from '@ravi/provider-kit';
import type { SchemaObject } from '@ravi/provider-kit';

/** The definitions that a converted schema refers to. */
export interface Definitions {
  /**
   * The reference to what a schema becomes, the same one each time.
   * @param ref what it was referred to by, from which it gets its name
   */
  pointerTo(given: SchemaObject, ref: string): SchemaObject;
  /**
   * All that was referred to, and what that refers to in turn; `undefined` when there is nothing. A definition may reach
   * itself through optional properties only; elsewhere the reference becomes anything, and `cut` hears of it.
   */
  converted(
    convert: (given: SchemaObject) => SchemaObject,
    cut: (pointer: string) => void,
  ): Readonly<Record<string, SchemaObject>> | undefined;
}

const prefix = '#/$defs/';

/** Definitions whose names are letters that no parser takes for anything else. */
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
      // Grows while it is read.
      for (const [given, name] of names) definitions.set(name, convert(given));
      return definitions.size === 0 ? undefined : withoutRequiredCycles(definitions, cut);
    },
  };
}

function withoutRequiredCycles(
  definitions: ReadonlyMap<string, SchemaObject>,
  tell: (pointer: string) => void,
): Readonly<Record<string, SchemaObject>> {
  const references = new Map([...definitions].map(([name, schema]) => [name, referencesIn(schema)]));
  const cut = (schema: SchemaObject, owner: string, isRequired: boolean): SchemaObject => {
    const $ref = schema['$ref'];
    if (typeof $ref === 'string') {
      if (!isRequired || !reaches(references, nameIn($ref), owner)) return schema;
      tell($ref);
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

/** Whether the definition `from` refers to `target`, at any distance. */
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
