import type { JsonSchema } from '@ravi/kernel';
import type { Check, Checks, CompileContext } from '../check.ts';
import { areUnique } from '../json-equal.ts';
import { childPlace } from '../run.ts';

type List = readonly unknown[];

/** Compiles the keywords of arrays. */
export function addArrayChecks(schema: JsonSchema, context: CompileContext, checks: Checks): void {
  const { run } = context;
  const { maxItems, minItems } = schema;
  if (typeof maxItems === 'number') {
    const message = `must NOT have more than ${maxItems} items`;
    checks.array.push(
      (value, place) => (value as List).length <= maxItems || run.fail(place, 'maxItems', message, { limit: maxItems }),
    );
  }
  if (typeof minItems === 'number') {
    const message = `must NOT have fewer than ${minItems} items`;
    checks.array.push(
      (value, place) => (value as List).length >= minItems || run.fail(place, 'minItems', message, { limit: minItems }),
    );
  }
  if (schema['uniqueItems'] === true) {
    const message = 'must NOT have duplicate items';
    checks.array.push((value, place) => areUnique(value as List, run) || run.fail(place, 'uniqueItems', message));
  }
  if ('contains' in schema) checks.array.push(containsCheck(schema, context));
  const { tuple, rest, restKeyword } = itemsOf(schema, context);
  if (tuple !== undefined) checks.array.push(tupleCheck(tuple, context));
  if (rest !== undefined) checks.array.push(restCheck(rest, tuple?.length ?? 0, restKeyword, context));
}

interface Items {
  readonly tuple: readonly Check[] | undefined;
  readonly rest: unknown;
  readonly restKeyword: string;
}

function itemsOf(schema: JsonSchema, context: CompileContext): Items {
  const { items } = schema;
  const compileEach = (list: unknown): readonly Check[] => (list as List).map((each) => context.subschema(each));
  if (context.dialect === 'draft-07' && Array.isArray(items)) {
    return { tuple: compileEach(items), rest: schema['additionalItems'], restKeyword: 'additionalItems' };
  }
  const prefix = context.dialect === '2020-12' ? schema['prefixItems'] : undefined;
  return { tuple: prefix === undefined ? undefined : compileEach(prefix), rest: items, restKeyword: 'items' };
}

function tupleCheck(tuple: readonly Check[], { run }: CompileContext): Check {
  return (value, place, seen) => {
    const list = value as List;
    const length = Math.min(tuple.length, list.length);
    let isValid = true;
    for (let index = 0; index < length; index++) {
      if ((tuple[index] as Check)(list[index], childPlace(place, index), undefined)) continue;
      isValid = false;
      if (place === undefined || !run.findsAll) return false;
    }
    if (seen !== undefined) seen.itemsBefore = Math.max(seen.itemsBefore, length);
    return isValid;
  };
}

function restCheck(schema: unknown, first: number, keyword: string, context: CompileContext): Check {
  const { run } = context;
  const check = context.subschema(schema);
  const message = `must NOT have more than ${first} items`;
  return (value, place, seen) => {
    const list = value as List;
    if (schema === false) return list.length <= first || run.fail(place, keyword, message, { limit: first });
    let isValid = true;
    for (let index = first; schema !== true && index < list.length; index++) {
      if (check(list[index], childPlace(place, index), undefined)) continue;
      isValid = false;
      if (place === undefined || !run.findsAll) return false;
    }
    if (seen !== undefined) seen.itemsBefore = list.length;
    return isValid;
  };
}

function containsCheck(schema: JsonSchema, context: CompileContext): Check {
  const { run } = context;
  const check = context.subschema(schema['contains']);
  const isNew = context.dialect === '2020-12';
  const min = isNew && typeof schema['minContains'] === 'number' ? schema['minContains'] : 1;
  const max = isNew && typeof schema['maxContains'] === 'number' ? schema['maxContains'] : undefined;
  const message =
    max === undefined
      ? `must contain at least ${min} valid item(s)`
      : `must contain at least ${min} and no more than ${max} valid item(s)`;
  return (value, place, seen) => {
    const list = value as List;
    let count = 0;
    for (let index = 0; index < list.length; index++) {
      if (!check(list[index], undefined, undefined)) continue;
      count++;
      if (seen !== undefined) run.charge(3);
      seen?.items.add(index);
      if (seen === undefined && count >= min && (max === undefined || count > max)) break;
    }
    if (count >= min && (max === undefined || count <= max)) return true;
    return run.fail(place, 'contains', message, { minContains: min, maxContains: max });
  };
}

/** Compiles `unevaluatedItems`, which comes after every other keyword. */
export function unevaluatedItemsCheck(schema: JsonSchema, context: CompileContext): Check {
  const { run } = context;
  const check = context.subschema(schema['unevaluatedItems']);
  return (value, place, seen) => {
    if (!Array.isArray(value)) return true;
    let isValid = true;
    for (let index = seen?.itemsBefore ?? 0; index < value.length; index++) {
      run.charge(1);
      if (seen?.hasItem(index) === true) continue;
      if (check(value[index], undefined, undefined)) continue;
      isValid = run.fail(place, 'unevaluatedItems', `must NOT have more than ${index} items`, { len: index });
      if (place === undefined || !run.findsAll) return false;
    }
    if (seen !== undefined) seen.itemsBefore = value.length;
    return isValid;
  };
}
