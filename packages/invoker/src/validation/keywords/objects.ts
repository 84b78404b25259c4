import type { JsonSchema } from '@ravi/kernel';
import type { Check, Checks, CompileContext, Members } from '../check.ts';
import { childPlace } from '../run.ts';
import type { Place } from '../run.ts';
import { applyInPlace } from './combinators.ts';

/** Up to this number, properties of the schema are looked up in the value; above it, those of the value in the schema. */
const fewProperties = 16;

/** Compiles the keywords of objects. */
export function addObjectChecks(schema: JsonSchema, context: CompileContext, checks: Checks): void {
  const { object } = checks;
  addCountChecks(schema, context, object);
  if (schema['required'] !== undefined) object.push(requiredCheck(schema['required'] as readonly string[], context));
  for (const keyword of context.dialect === '2020-12' ? ['dependentRequired', 'dependencies'] : ['dependencies']) {
    const named = Object.entries((schema[keyword] as Members | undefined) ?? {});
    const lists = named.filter((each): each is [string, readonly string[]] => Array.isArray(each[1]));
    if (lists.length > 0) object.push(dependentRequiredCheck(lists, keyword, context));
  }
  if ('propertyNames' in schema) object.push(propertyNamesCheck(context.subschema(schema['propertyNames']), context));
  const patterns = Object.entries((schema['patternProperties'] as Members | undefined) ?? {}).map(
    ([pattern, each]): PatternSchema => [context.pattern(pattern), context.subschema(each)],
  );
  const named = Object.entries((schema['properties'] as Members | undefined) ?? {});
  if (schema['additionalProperties'] !== undefined) {
    const names = new Set(named.map(([name]) => name));
    object.push(additionalCheck(schema['additionalProperties'], { names, patterns }, context));
  }
  if (named.length > 0) {
    const compiled = named.map(([, each]) => context.subschema(each));
    const names = named.map(([name]) => name);
    object.push(propertiesCheck(names, compiled, context));
  }
  if (patterns.length > 0) object.push(patternPropertiesCheck(patterns, context));
  for (const keyword of context.dialect === '2020-12' ? ['dependentSchemas', 'dependencies'] : ['dependencies']) {
    const conditions = Object.entries((schema[keyword] as Members | undefined) ?? {});
    for (const [name, each] of conditions) {
      if (Array.isArray(each)) continue;
      const check = applyInPlace(context.subschema(each), context);
      object.push((value, place, seen) => !has(value as Members, name) || check(value, place, seen));
    }
  }
}

type PatternSchema = readonly [(text: string) => boolean, Check];

function has(value: Members, name: string): boolean {
  return Object.hasOwn(value, name) && value[name] !== undefined;
}

// Properties of a large object are looked up in a table.
function lookUpUnits(names: number): number {
  return names > 64 ? 4 * names : names;
}

function addCountChecks(schema: JsonSchema, { run }: CompileContext, object: Check[]): void {
  const { maxProperties, minProperties } = schema;
  if (typeof maxProperties !== 'number' && typeof minProperties !== 'number') return;
  object.push((value, place) => {
    const count = run.keysOf(value as Members).length;
    if (typeof maxProperties === 'number' && count > maxProperties) {
      const message = `must NOT have more than ${maxProperties} properties`;
      return run.fail(place, 'maxProperties', message, { limit: maxProperties });
    }
    if (typeof minProperties === 'number' && count < minProperties) {
      const message = `must NOT have fewer than ${minProperties} properties`;
      return run.fail(place, 'minProperties', message, { limit: minProperties });
    }
    return true;
  });
}

function requiredCheck(names: readonly string[], { run }: CompileContext): Check {
  const units = lookUpUnits(names.length);
  return (value, place) => {
    run.charge(units);
    let isValid = true;
    for (let index = 0; index < names.length; index++) {
      const name = names[index] as string;
      if (has(value as Members, name)) continue;
      const message = `must have required property '${name}'`;
      isValid = run.fail(place, 'required', message, { missingProperty: name });
      if (place === undefined || !run.findsAll) return false;
    }
    return isValid;
  };
}

function dependentRequiredCheck(
  lists: readonly (readonly [string, readonly string[]])[],
  keyword: string,
  { run }: CompileContext,
): Check {
  return (value, place) => {
    let isValid = true;
    for (const [property, names] of lists) {
      run.charge(2);
      if (!has(value as Members, property)) continue;
      run.charge(lookUpUnits(names.length));
      const missing = names.filter((name) => !has(value as Members, name));
      if (missing.length === 0) continue;
      const wanted = names.length === 1 ? 'property' : 'properties';
      const message = `must have ${wanted} ${names.slice(0, 20).join(', ')} when property ${property} is present`;
      isValid = run.fail(place, keyword, message, { property, missingProperty: missing[0] });
      if (place === undefined || !run.findsAll) return false;
    }
    return isValid;
  };
}

function propertyNamesCheck(check: Check, { run }: CompileContext): Check {
  return (value, place) => {
    let isValid = true;
    for (const name of run.keysOf(value as Members)) {
      if (check(name, place, undefined)) continue;
      isValid = run.fail(place, 'propertyNames', 'property name must be valid', { propertyName: name });
      if (place === undefined || !run.findsAll) return false;
    }
    return isValid;
  };
}

function additionalCheck(
  schema: unknown,
  { names, patterns }: { readonly names: ReadonlySet<string>; readonly patterns: readonly PatternSchema[] },
  context: CompileContext,
): Check {
  const { run } = context;
  const check = context.subschema(schema);
  return (value, place, seen) => {
    if (seen !== undefined) seen.hasAllKeys = true;
    if (schema === true) return true;
    let isValid = true;
    const keys = run.keysOf(value as Members);
    run.charge(lookUpUnits(keys.length));
    for (let index = 0; index < keys.length; index++) {
      const key = keys[index] as string;
      if (names.has(key) || patterns.some(([matches]) => matches(key))) continue;
      if (schema === false) isValid = failUnknown(key, place);
      else if (!check((value as Members)[key], childPlace(place, key), undefined)) isValid = false;
      if (!isValid && (place === undefined || !run.findsAll)) return false;
    }
    return isValid;
  };

  function failUnknown(additionalProperty: string, place: Place | undefined): false {
    return run.fail(place, 'additionalProperties', 'must NOT have additional properties', { additionalProperty });
  }
}

function propertiesCheck(names: readonly string[], checks: readonly Check[], { run }: CompileContext): Check {
  const checkOf = names.length > fewProperties ? new Map(names.map((name, index) => [name, checks[index]])) : undefined;
  return (value, place, seen) => {
    // Whichever has fewer properties, schema or value, is read one by one.
    const keys = checkOf === undefined ? names : run.keysOf(value as Members);
    let isValid = true;
    for (let index = 0; index < keys.length; index++) {
      const name = keys[index] as string;
      if (checkOf === undefined ? !Object.hasOwn(value as Members, name) : !isCounted(name)) continue;
      const child = (value as Members)[name];
      if (child === undefined) continue;
      seen?.keys.add(name);
      const check = (checkOf === undefined ? checks[index] : checkOf.get(name)) as Check;
      if (check(child, childPlace(place, name), undefined)) continue;
      isValid = false;
      if (place === undefined || !run.findsAll) return false;
    }
    return isValid;
  };

  function isCounted(name: string): boolean {
    run.charge(1);
    return checkOf?.has(name) === true;
  }
}

function patternPropertiesCheck(patterns: readonly PatternSchema[], { run }: CompileContext): Check {
  return (value, place, seen) => {
    let isValid = true;
    for (const key of run.keysOf(value as Members)) {
      run.charge(1);
      for (const [matches, check] of patterns) {
        if (!matches(key)) continue;
        seen?.keys.add(key);
        if (check((value as Members)[key], childPlace(place, key), undefined)) continue;
        isValid = false;
        if (place === undefined || !run.findsAll) return false;
      }
    }
    return isValid;
  };
}

/** Compiles `unevaluatedProperties`, which comes after every other keyword. */
export function unevaluatedPropertiesCheck(schema: JsonSchema, context: CompileContext): Check {
  const { run } = context;
  const check = context.subschema(schema['unevaluatedProperties']);
  return (value, place, seen) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return true;
    let isValid = true;
    for (const key of run.keysOf(value)) {
      run.charge(1);
      if (seen?.hasKey(key) === true || check((value as Members)[key], undefined, undefined)) continue;
      const message = 'must NOT have unevaluated properties';
      isValid = run.fail(place, 'unevaluatedProperties', message, { unevaluatedProperty: key });
      if (place === undefined || !run.findsAll) return false;
    }
    if (seen !== undefined) seen.hasAllKeys = true;
    return isValid;
  };
}
