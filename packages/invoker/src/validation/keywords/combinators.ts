import type { JsonSchema } from '@ravi/kernel';
import type { Check, CompileContext } from '../check.ts';
import type { Place } from '../run.ts';
import { Seen } from '../seen.ts';

/** Compiles the keywords that apply other schemas to the same value. */
export function combinatorChecks(schema: JsonSchema, context: CompileContext): readonly Check[] {
  const checks: Check[] = [];
  for (const keyword of ['$ref', '$dynamicRef'] as const) {
    if (typeof schema[keyword] === 'string') checks.push(context.reference(keyword, schema));
  }
  if ('not' in schema) checks.push(notCheck(context.subschema(schema['not']), context));
  if (schema['anyOf'] !== undefined) checks.push(anyOfCheck(branchesOf(schema['anyOf'], context), context));
  if (schema['oneOf'] !== undefined) checks.push(oneOfCheck(branchesOf(schema['oneOf'], context), context));
  if (schema['allOf'] !== undefined) checks.push(allOfCheck(branchesOf(schema['allOf'], context), context));
  if ('if' in schema) checks.push(...conditionCheck(schema, context));
  return checks;
}

function branchesOf(schemas: unknown, context: CompileContext): readonly Check[] {
  return (schemas as readonly unknown[]).map((each) => context.subschema(each));
}

/** Applies a subschema to the same value; what it evaluates counts only if the value is valid. */
export function applyInPlace(check: Check, { run }: CompileContext): Check {
  return (value, place, seen) => {
    if (seen === undefined) return check(value, place, undefined);
    const inner = new Seen();
    if (!check(value, place, inner)) return false;
    seen.add(inner, run);
    return true;
  };
}

function notCheck(check: Check, { run }: CompileContext): Check {
  return (value, place) => !check(value, undefined, undefined) || run.fail(place, 'not', 'must NOT be valid');
}

function allOfCheck(branches: readonly Check[], { run }: CompileContext): Check {
  return (value, place, seen) => {
    let isValid = true;
    for (const branch of branches) {
      if (branch(value, place, seen)) continue;
      isValid = false;
      if (place === undefined || !run.findsAll) break;
    }
    return isValid;
  };
}

function anyOfCheck(branches: readonly Check[], context: CompileContext): Check {
  const { run, tracks } = context;
  const applied = branches.map((branch) => applyInPlace(branch, context));
  return (value, place, seen) => {
    const known = run.problems.length;
    let isValid = false;
    for (const branch of applied) {
      isValid = branch(value, place, seen) || isValid;
      if (isValid && !(tracks && seen !== undefined)) break;
    }
    if (!isValid) return run.fail(place, 'anyOf', 'must match a schema in anyOf');
    if (place !== undefined) run.problems.length = known;
    return true;
  };
}

function oneOfCheck(branches: readonly Check[], context: CompileContext): Check {
  const { run } = context;
  const applied = branches.map((branch) => applyInPlace(branch, context));
  return (value, place, seen) => {
    const known = run.problems.length;
    const passing: number[] = [];
    for (const [index, branch] of applied.entries()) {
      if (branch(value, place, seen)) passing.push(index);
      if (passing.length > 1) break;
    }
    if (place !== undefined && passing.length > 0) run.problems.length = known;
    if (passing.length === 1) return true;
    return run.fail(place, 'oneOf', 'must match exactly one schema in oneOf', { passingSchemas: passing });
  };
}

function conditionCheck(schema: JsonSchema, context: CompileContext): readonly Check[] {
  const { run } = context;
  const condition = applyInPlace(context.subschema(schema['if']), context);
  const branch = (keyword: 'then' | 'else'): ((...args: Parameters<Check>) => boolean) => {
    if (!(keyword in schema)) return () => true;
    const check = applyInPlace(context.subschema(schema[keyword]), context);
    const message = `must match "${keyword}" schema`;
    return (value, place, seen) =>
      check(value, place, seen) || run.fail(place, 'if', message, { failingKeyword: keyword });
  };
  const whenTrue = branch('then');
  const whenFalse = branch('else');
  return [
    (value, place: Place | undefined, seen) =>
      condition(value, undefined, seen) ? whenTrue(value, place, seen) : whenFalse(value, place, seen),
  ];
}
